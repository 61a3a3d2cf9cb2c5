"""What installs of skills and of personas share."""

from functools import partial
from typing import NamedTuple

from django.contrib.postgres.indexes import BrinIndex
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from catalogue.exceptions import VersionNotFound
from installs.models import choices
from installs.models.querysets import InstallQuerySet, take_turn
from marketplace.models import newest_where
from marketplace.rows import instance_of


class InstallManager(models.Manager.from_queryset(InstallQuerySet)):
    @transaction.atomic
    def uninstall(self, agent, slug):
        """Remove an entry from the agent, even if it is withdrawn.

        Raises the kind's NotInstalled (contract 12.6).
        """
        agent.lock_active()
        install = self.own(agent, slug)
        install.uninstall()
        return install

    @transaction.atomic
    def update_own(self, agent, slug, version=None):
        """Record that the agent uses the entry's current text; returns an UpdateResult.

        With the number of a `version`, the agent uses and pins that version. Without it, a pinned
        install stays pinned, to the newest version.

        Raises the kind's NotInstalled, NotFound if the entry is withdrawn (contract 16.7), or
        VersionNotFound.
        """
        install = self.lock_published(agent, slug)
        if version is None:
            chosen = install.use(choices.newest)
        else:
            chosen = install.use(choices.numbered(version), is_pinned=True)
        return UpdateResult(install.entry.slug, chosen.digest, install.installed_digest)

    @transaction.atomic
    def pin(self, agent, slug, version=None):
        """Pin a version, so that the agent keeps getting it whatever happens to the entry.

        Without the number of a `version`, pins the one that the agent uses. Returns the version.
        Raises the kind's NotInstalled, NotFound if the entry is withdrawn, or VersionNotFound.
        """
        install = self.lock_published(agent, slug)
        choice = choices.used if version is None else choices.numbered(version)
        return install.use(choice, is_pinned=True)

    @transaction.atomic
    def unpin(self, agent, slug):
        """Give the agent the newest text again; returns the install.

        Raises the kind's NotInstalled, or NotFound if the entry is withdrawn.
        """
        install = self.lock_published(agent, slug)
        self.filter(pk=install.pk).end_pins()
        return install

    def lock_published(self, agent, slug):
        """`lock_own`; raises the kind's NotFound if the entry is withdrawn."""
        install = self.lock_own(agent, slug)
        if not install.entry.is_published:
            raise self.model.NotFound
        return install

    def replace_each(self, agents, slug, successor):
        """Install the successor of an entry on each of the agents, and uninstall the entry.

        The agents are active and locked. For many of them at once, this has the rules of the
        statements that install (installs/sql.py). Raises what they raise, and then changes nothing.
        """
        kind = self.model.kind
        entry = self.lock_entry(successor)
        self.of_entry(slug).filter(agent__in=agents).uninstall_all()
        present = self.of_entry(successor).filter(agent__in=agents)
        has_it = set(present.values_list("agent", flat=True))
        text = {kind: entry, "installed_digest": entry.digest, "number": entry.number}
        new = [self.model(agent=agent, **text) for agent in agents if agent.pk not in has_it]
        self.bulk_create(new)
        counter = entry.POPULARITY
        type(entry).objects.filter(pk=entry.pk).update(**{counter: F(counter) + len(new)})

    def lock_entry(self, slug):
        """A published entry, locked as an install locks it; raises the kind's NotFound."""
        take_turn(self.model.kind, slug)
        entries = self.model.Entry.objects.defer(*self.model.Entry.long_columns())
        entry = entries.select_for_update(no_key=True).filter(slug=slug).first()
        if entry is None or not entry.is_published:
            raise self.model.NotFound
        return entry

    def fetch_verdict(self, agent, version, **values):
        """Run the statement that installs the newest text, or the version with this number.

        Raises the kind's AlreadyInstalled or NotFound.
        """
        newest, numbered = self.model.STATEMENTS
        if version is None:
            verdict = agent.fetch_verdict(newest, **values)
        else:
            verdict = agent.fetch_verdict(numbered, **values, number=version)
        if verdict.is_installed:
            raise self.model.AlreadyInstalled
        if not verdict.is_published:
            raise self.model.NotFound
        return verdict

    def from_verdict(self, agent, verdict):
        """The install from a statement's verdict, with its entry. Raises VersionNotFound."""
        if verdict.install_id is None:
            raise VersionNotFound
        kind = self.model.kind
        entry = instance_of(self.model.Entry, verdict, f"{kind}_")
        return instance_of(self.model, verdict, "install_", agent=agent, **{kind: entry})


class UpdateResult(NamedTuple):
    slug: str
    digest: str
    previous_digest: str


def once_per_agent(kind):
    """The constraint that an agent has an entry of the kind at most once."""
    return models.UniqueConstraint(
        fields=["agent", kind],
        condition=Q(removed_at=None),
        name=f"one_present_install_per_agent_and_{kind}",
    )


def indexes_of(kind):
    return [
        models.Index(F("agent"), F("id").desc(), name=f"{kind}_install_newest"),
        models.Index(F(kind), F("installed_at").desc(), name=f"{kind}_install_times"),
        # For the counts by day; rows are inserted in order of time, which keeps it tiny.
        BrinIndex(fields=["installed_at"], name=f"{kind}_install_day", autosummarize=True),
        newest_where(f"{kind}_install_removed", Q(removed_at__isnull=False)),
    ]


class Install(models.Model):
    """What skill and persona installs share."""

    installed_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, editable=False)
    # The entry's digest when it was installed or last updated.
    installed_digest = models.CharField(
        max_length=71, editable=False, default="", db_default="", db_column="digest"
    )
    # The number of the version with that digest. Null if the text is older than the first version.
    number = models.PositiveIntegerField(null=True, editable=False)

    class Meta:
        abstract = True
        ordering = ["-id"]

    def __str__(self):
        return f"install {self.pk}"

    @property
    def entry(self):
        return getattr(self, self.kind)

    def use(self, choice, *, is_pinned=None):
        """`InstallQuerySet.use` for this install. This object's own columns stay as they were read.

        Returns the version; raises VersionNotFound.
        """
        version = self.chosen(choice)
        if version is None:
            raise VersionNotFound
        type(self).objects.filter(pk=self.pk).use(choice, is_pinned=is_pinned)
        return version

    def chosen(self, choice):
        """The version of the choice, or None."""
        return choice(type(self), partial(getattr, self)).first()

    def uninstall(self, *update_fields):
        """Keep the row as history only."""
        self.removed_at = Now()
        self.save(update_fields=["removed_at", *update_fields])
