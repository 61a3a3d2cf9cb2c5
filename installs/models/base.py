"""What installs of skills and of personas share."""

from typing import NamedTuple

from django.db import connection, models, transaction
from django.db.models import Case, F, Q, When
from django.db.models.functions import Coalesce, Now

from catalogue.exceptions import VersionNotFound
from catalogue.models import Status, successor_slug
from installs.sql import turn_of
from marketplace.rows import instance_of

# Columns of an entry that its install is listed with.
LISTED_COLUMNS = ["public_id", "slug", "status", "deprecation_message"]
# A pinned install is listed with these columns of its version instead of the entry's.
PINNED_COLUMNS = {"title": "title", "version": "version", "given_digest": "digest"}


def take_turn(kind, slug):
    """Queue for an entry until the transaction ends, as the hot statements do."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {turn_of(kind)}", {"slug": slug})


class InstallQuerySet(models.QuerySet):
    def present(self):
        """What agents have; the others are history."""
        return self.filter(removed_at=None)

    def own(self, agent, slug):
        """The agent's present install of an entry, with the entry; raises the kind's NotInstalled.

        It is as it is now if the agent is locked, as every write of an install locks it.
        """
        kind = self.model.kind
        installs = self.present().filter(agent=agent, **{f"{kind}__slug": slug})
        installs = installs.select_related(kind).defer(*self.model.Entry.long_columns(f"{kind}__"))
        install = installs.first()
        if install is None:
            raise self.model.NotInstalled
        return install

    def lock_own(self, agent, slug):
        """`own` for a write that depends on the entry, locked as installing it locks it."""
        agent.lock_active()
        take_turn(self.model.kind, slug)
        return self.select_for_update(no_key=True, of=[self.model.kind]).own(agent, slug)

    def with_entry(self):
        """Annotate what a list shows of the entry, and of what the agent is given of it.

        An outdated install is of another text than its entry, which is published, has now.
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
        """Take an entry away from the agent, withdrawn or not.

        Raises the kind's NotInstalled (contract 12.6).
        """
        agent.lock_active()
        install = self.own(agent, slug)
        install.uninstall()
        return install

    @transaction.atomic
    def update_own(self, agent, slug, version=None):
        """Note that the agent uses the entry's present text; returns an Update.

        With the number of a `version` it uses that one, which is pinned. Without it, what was
        pinned stays pinned, at the newest.

        Raises the kind's NotInstalled; of a withdrawn entry, its NotFound (contract 16.7); or
        VersionNotFound.
        """
        install = self.lock_published(agent, slug)
        previous = install.installed_digest
        chosen = install.version_numbered(version or install.entry.number)
        is_pinned = version is not None or install.pinned_id is not None
        install.use(chosen, pinned=chosen if is_pinned else None)
        return Update(install.entry.slug, chosen.digest, previous)

    @transaction.atomic
    def pin(self, agent, slug, version=None):
        """Give the agent this version of what it has, whatever becomes of the entry.

        Without the number of a `version` it is the one that the agent uses. Returns the version.
        Raises the kind's NotInstalled; of a withdrawn entry, its NotFound; or VersionNotFound.
        """
        install = self.lock_published(agent, slug)
        chosen = install.version_numbered(version) if version else install.used_version()
        install.use(chosen, pinned=chosen)
        return chosen

    @transaction.atomic
    def unpin(self, agent, slug):
        """Give the agent the newest text again; returns the install.

        Raises the kind's NotInstalled; of a withdrawn entry, its NotFound.
        """
        install = self.lock_published(agent, slug)
        if install.pinned_id is not None:
            install.pinned = None
            install.save(update_fields=["pinned"])
        return install

    def lock_published(self, agent, slug):
        """`lock_own`; raises the kind's NotFound where the entry is withdrawn."""
        install = self.lock_own(agent, slug)
        if not install.entry.is_published:
            raise self.model.NotFound
        return install

    def from_verdict(self, agent, verdict):
        """The install of a statement's verdict, and its entry."""
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

    def version_numbered(self, number):
        """Raises VersionNotFound, also for one that is recalled."""
        version = self.entry.versions.readable().filter(number=number).first()
        if version is None:
            raise VersionNotFound
        return version

    def used_version(self):
        """The version that the agent uses: of several with its digest, the one with its number."""
        versions = self.entry.versions.readable().filter(digest=self.installed_digest)
        version = versions.filter(number=self.number).first() or versions.first()
        if version is None:
            raise VersionNotFound
        return version

    def use(self, version, *, pinned):
        before = self.installed_digest, self.number, self.pinned_id
        self.installed_digest, self.number = version.digest, version.number
        self.pinned = pinned
        if before != (self.installed_digest, self.number, self.pinned_id):
            self.save(update_fields=["installed_digest", "number", "pinned"])

    def uninstall(self, *update_fields):
        """Keep the row as history only."""
        self.removed_at = Now()
        self.save(update_fields=["removed_at", *update_fields])
