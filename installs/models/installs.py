from typing import NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.indexes import BrinIndex
from django.db import connection, models, transaction
from django.db.models import Case, F, OuterRef, Q, When
from django.db.models.functions import Coalesce, Now

from agents.models import Agent
from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.models import Persona, Skill, Status, successor_slug
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaNotInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
    SkillNotInstalled,
)
from installs.sql import INSTALL_PERSONA, INSTALL_SKILL, turn_of
from marketplace.rows import instance_of

# Columns of an entry that its install is listed with.
LISTED_COLUMNS = ["public_id", "slug", "title", "version", "status", "deprecation_message"]


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
        """Annotate what a list shows of the entry.

        An outdated install is of another text than its entry, which is published, has now.
        """
        kind = self.model.kind
        return self.annotate(
            entry_digest=F(f"{kind}__digest"),
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
    def update_own(self, agent, slug):
        """Note that the agent uses the entry's present text; returns an Update.

        Raises the kind's NotInstalled; of a withdrawn entry, its NotFound (contract 16.7).
        """
        install = self.lock_own(agent, slug)
        entry, previous = install.entry, install.installed_digest
        if not entry.is_published:
            raise self.model.NotFound
        if previous != entry.digest:
            install.installed_digest = entry.digest
            install.save(update_fields=["installed_digest"])
        return Update(entry.slug, entry.digest, previous)

    def from_verdict(self, agent, verdict):
        """The install of a statement's verdict, and its entry."""
        kind = self.model.kind
        entry = instance_of(self.model.Entry, verdict, f"{kind}_")
        return instance_of(self.model, verdict, "install_", agent=agent, **{kind: entry})


class Update(NamedTuple):
    slug: str
    digest: str
    previous_digest: str


class SkillInstallManager(InstallManager):
    def install(self, agent, slug, *, runtime=""):
        """Give the agent a skill, at most once, and count the download.

        Downloads count installs: an uninstall takes nothing back, and the next install counts.

        Raises SkillAlreadyInstalled, even if staff have withdrawn the skill since, or
        SkillNotFound (contract 9.3).
        """
        verdict = agent.fetch_verdict(INSTALL_SKILL, slug=slug, runtime=runtime)
        if verdict.is_installed:
            raise SkillAlreadyInstalled
        if verdict.install_id is None:
            raise SkillNotFound
        return self.from_verdict(agent, verdict)


class Install(models.Model):
    """What skill and persona installs share."""

    installed_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, editable=False)
    # The entry's digest when it was installed or last updated.
    installed_digest = models.CharField(
        max_length=71, editable=False, default="", db_default="", db_column="digest"
    )

    class Meta:
        abstract = True
        ordering = ["-id"]

    def __str__(self):
        return f"install {self.pk}"

    @property
    def entry(self):
        return getattr(self, self.kind)

    def uninstall(self, *update_fields):
        """Keep the row as history only."""
        self.removed_at = Now()
        self.save(update_fields=["removed_at", *update_fields])


class SkillInstall(Install):
    kind, Entry = "skill", Skill
    NotInstalled, NotFound = SkillNotInstalled, SkillNotFound

    # skill_install_newest begins with the agent and serves as this key's index.
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="skill_installs", db_index=False)
    # skill_install_times begins with the skill.
    skill = models.ForeignKey(Skill, models.PROTECT, related_name="agent_installs", db_index=False)
    runtime = models.TextField(blank=True)

    objects = SkillInstallManager()

    class Meta(Install.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "skill"],
                condition=Q(removed_at=None),
                name="one_present_install_per_agent_and_skill",
            )
        ]
        indexes = [
            models.Index(F("agent"), F("id").desc(), name="skill_install_newest"),
            models.Index(F("skill"), F("installed_at").desc(), name="skill_install_times"),
            # For the counts by day; rows are inserted in order of time, which keeps it tiny.
            BrinIndex(fields=["installed_at"], name="skill_install_day", autosummarize=True),
        ]


class PersonaInstallQuerySet(InstallQuerySet):
    def with_entry(self):
        """Also the slugs of the published skills that come with the persona."""
        bundled = Skill.objects.published().filter(personas=OuterRef("persona_id"))
        slugs = ArraySubquery(bundled.order_by("slug").values("slug"))
        return super().with_entry().annotate(skill_slugs=slugs)


class PersonaInstallManager(InstallManager.from_queryset(PersonaInstallQuerySet)):
    def install(self, agent, slug, *, activate=False):
        """Give the agent a free persona, at most once; on request as its one active persona.

        Raises PersonaAlreadyInstalled, even if staff have withdrawn the persona or given it a price
        since, PersonaNotFound or PersonaRequiresPayment (contract 9.7).
        """
        verdict = agent.fetch_verdict(INSTALL_PERSONA, slug=slug, activate=activate)
        if verdict.is_installed:
            raise PersonaAlreadyInstalled
        if not verdict.is_published:
            raise PersonaNotFound
        if verdict.install_id is None:
            raise PersonaRequiresPayment
        return self.from_verdict(agent, verdict)

    @transaction.atomic
    def activate(self, agent, slug):
        """Make an installed persona the agent's one active persona.

        Raises PersonaNotInstalled; of a withdrawn one, PersonaNotFound (contract 12.7).
        """
        install = self.lock_own(agent, slug)
        if not install.persona.is_published:
            raise PersonaNotFound
        if not install.is_active:
            # The previous one gives way, as in INSTALL_PERSONA.
            self.filter(agent=agent, is_active=True).update(is_active=False)
            install.is_active = True
            install.save(update_fields=["is_active"])
        return install

    @transaction.atomic
    def deactivate(self, agent, slug):
        """Make an installed persona inactive, withdrawn or not.

        Raises PersonaNotInstalled (contract 12.6).
        """
        agent.lock_active()
        install = self.own(agent, slug)
        if install.is_active:
            install.is_active = False
            install.save(update_fields=["is_active"])
        return install


class PersonaInstall(Install):
    kind, Entry = "persona", Persona
    NotInstalled, NotFound = PersonaNotInstalled, PersonaNotFound

    agent = models.ForeignKey(
        Agent, models.CASCADE, related_name="persona_installs", db_index=False
    )
    persona = models.ForeignKey(
        Persona, models.PROTECT, related_name="agent_installs", db_index=False
    )
    is_active = models.BooleanField(default=False)

    objects = PersonaInstallManager()

    class Meta(Install.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "persona"],
                condition=Q(removed_at=None),
                name="one_present_install_per_agent_and_persona",
            ),
            models.UniqueConstraint(
                fields=["agent"],
                condition=Q(is_active=True),
                name="one_active_persona_per_agent",
            ),
            models.CheckConstraint(
                condition=Q(is_active=False) | Q(removed_at=None),
                name="only_a_present_one_is_active",
            ),
        ]
        indexes = [
            models.Index(F("agent"), F("id").desc(), name="persona_install_newest"),
            models.Index(F("persona"), F("installed_at").desc(), name="persona_install_times"),
            BrinIndex(fields=["installed_at"], name="persona_install_day", autosummarize=True),
        ]

    def uninstall(self):
        self.is_active = False
        super().uninstall("is_active")
