"""What installs of skills and of personas share."""

from functools import partial
from typing import NamedTuple

from django.db import connection, models, transaction
from django.db.models import Case, F, OuterRef, Q, Subquery, When
from django.db.models.functions import Coalesce, Now

from catalogue.exceptions import VersionNotFound
from catalogue.models import Status, successor_slug
from installs.models import choices
from installs.sql import turn_of
from marketplace.rows import instance_of

# Columns of an entry that the list of installs shows.
LISTED_COLUMNS = ["public_id", "slug", "status", "deprecation_message"]
# For a pinned install, these columns come from its version instead of the entry.
PINNED_COLUMNS = {"title": "title", "version": "version", "given_digest": "digest"}


def take_turn(kind, slug):
    """Queue for an entry until the transaction ends, as the hot statements do."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {turn_of(kind)}", {"slug": slug})


class InstallQuerySet(models.QuerySet):
    def present(self):
        """Installs that agents still have; the others are history."""
        return self.filter(removed_at=None)

    def of_published(self):
        return self.filter(**{f"{self.model.kind}__status": Status.PUBLISHED})

    def of_entry(self, slug):
        """The present installs of an entry, with the entry."""
        kind = self.model.kind
        installs = self.present().filter(**{f"{kind}__slug": slug}).select_related(kind)
        return installs.defer(*self.model.Entry.long_columns(f"{kind}__"))

    def own(self, agent, slug):
        """The agent's present install of an entry, with the entry; raises the kind's NotInstalled.

        Every write to an install locks the agent. With the lock, the result is current.
        """
        install = self.of_entry(slug).filter(agent=agent).first()
        if install is None:
            raise self.model.NotInstalled
        return install

    def lock_own(self, agent, slug):
        """`own` for a write that depends on the entry, with the same locks as an install."""
        agent.lock_active()
        take_turn(self.model.kind, slug)
        return self.select_for_update(no_key=True, of=[self.model.kind]).own(agent, slug)

    # The agents of the rows are locked. The entries are not: each of these methods is one statement
    # with one snapshot of all entries, and thousands of locks would fill the lock table.

    def use(self, choice, *, is_pinned=None):
        """Switch each install to the version of the choice; returns how many changed.

        With `is_pinned` they are pinned to it. By default, pinned ones are pinned to it, too.
        """
        chosen = {name: self._chosen(choice, name) for name in ("pk", "digest", "number")}
        if_pinned = Case(When(pinned=None, then=None), default=chosen["pk"])
        return self.to_use(choice, is_pinned=is_pinned).update(
            installed_digest=chosen["digest"],
            number=chosen["number"],
            pinned=chosen["pk"] if is_pinned else if_pinned,
        )

    def to_use(self, choice, *, is_pinned=None):
        """The installs that `use` changes, each with the `chosen_number`.

        An install without a version to choose does not change: the version is recalled, the text is
        older than the first version, or the entry is withdrawn.
        """
        uses_it = Q(number=F("chosen_number"))
        if is_pinned:
            uses_it &= ~Q(pinned=None)
        return self.with_choice(choice).exclude(chosen_number=None).exclude(uses_it)

    def without(self, choice):
        """Installs for which the choice has no version."""
        return self.with_choice(choice).filter(chosen_number=None)

    def with_choice(self, choice):
        return self.annotate(chosen_number=self._chosen(choice, "number"))

    def _chosen(self, choice, name):
        return Subquery(choice(self.model, OuterRef).values(name)[:1])

    def end_pins(self):
        """Give each agent the newest text again; returns how many changed."""
        return self.to_unpin().update(pinned=None)

    def to_unpin(self):
        """The installs that `end_pins` changes; those of withdrawn entries stay."""
        return self.with_choice(choices.newest).exclude(chosen_number=None).exclude(pinned=None)

    def with_entry(self):
        """Annotate what a list shows of the entry, and of the text that the agent gets.

        An install is outdated if its published entry has another text now.
        """
        kind = self.model.kind
        return self.annotate(
            latest_digest=F(f"{kind}__digest"),
            latest_version=F(f"{kind}__version"),
            latest_number=F(f"{kind}__number"),
            is_pinned=Case(When(pinned=None, then=False), default=True),
            given_number=Coalesce("pinned__number", f"{kind}__number"),
            successor_slug=successor_slug(self.model.Entry, f"{kind}__"),
            is_outdated=Case(
                When(
                    ~Q(installed_digest=F(f"{kind}__digest")),
                    **{f"{kind}__status": Status.PUBLISHED},
                    then=True,
                ),
                default=False,
            ),
            gone_since=Coalesce(f"{kind}__withdrawn_at", f"{kind}__updated_at"),
            **{name: F(f"{kind}__{name}") for name in LISTED_COLUMNS},
            **{
                name: Coalesce(f"pinned__{column}", f"{kind}__{column}")
                for name, column in PINNED_COLUMNS.items()
            },
        )


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
        """Record that the agent uses the entry's current text; returns an Update.

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
        return Update(install.entry.slug, chosen.digest, install.installed_digest)

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

    def from_verdict(self, agent, verdict):
        """The install from a statement's verdict, with its entry."""
        kind = self.model.kind
        entry = instance_of(self.model.Entry, verdict, f"{kind}_")
        return instance_of(self.model, verdict, "install_", agent=agent, **{kind: entry})


class Update(NamedTuple):
    slug: str
    digest: str
    previous_digest: str


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
