from django.db import models, transaction
from django.db.models import Q

from agents.models import Agent
from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.models import Persona, PersonaVersion, Skill, SkillVersion
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaNotInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
    SkillNotInstalled,
)
from installs.models.base import Install, InstallManager, indexes_of, once_per_agent
from installs.models.querysets import PersonaInstallQuerySet
from installs.sql import INSTALL_PERSONA, INSTALL_SKILL


class SkillInstallManager(InstallManager):
    def install(self, agent, slug, *, runtime="", version=None):
        """Give the agent a skill, at most once, and count the download.

        With the number of a `version`, installs and pins that version.

        Downloads count installs: an uninstall subtracts nothing, and the next install counts again.

        Raises SkillAlreadyInstalled, even if the skill was withdrawn since, SkillNotFound
        (contract 9.3) or VersionNotFound.
        """
        verdict = self.fetch_verdict(agent, version, slug=slug, runtime=runtime)
        install = self.from_verdict(agent, verdict)
        install.has_files = verdict.archive_digest != ""
        return install


class SkillInstall(Install):
    kind, Entry, Version = "skill", Skill, SkillVersion
    STATEMENTS = INSTALL_SKILL
    AlreadyInstalled = SkillAlreadyInstalled
    NotInstalled, NotFound = SkillNotInstalled, SkillNotFound

    # skill_install_newest begins with the agent and serves as this key's index.
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="skill_installs", db_index=False)
    # skill_install_times begins with the skill.
    skill = models.ForeignKey(Skill, models.PROTECT, related_name="agent_installs", db_index=False)
    pinned = models.ForeignKey(
        SkillVersion, models.PROTECT, null=True, editable=False, related_name="+", db_index=False
    )
    runtime = models.TextField(blank=True)

    objects = SkillInstallManager()

    class Meta(Install.Meta):
        constraints = [once_per_agent("skill")]
        indexes = indexes_of("skill")


class PersonaInstallManager(InstallManager.from_queryset(PersonaInstallQuerySet)):
    def install(self, agent, slug, *, activate=False, version=None):
        """Give the agent a free persona, at most once; with `activate`, as its one active persona.

        With the number of a `version`, installs and pins that version.

        Raises PersonaAlreadyInstalled, even if the persona was withdrawn or priced since,
        PersonaNotFound, PersonaRequiresPayment (contract 9.7) or VersionNotFound.
        """
        verdict = self.fetch_verdict(agent, version, slug=slug, activate=activate)
        if not verdict.is_free:
            raise PersonaRequiresPayment
        return self.from_verdict(agent, verdict)

    def replace_each(self, agents, slug, successor):
        """As for skills. Where the persona is active, its successor becomes active."""
        active = self.of_entry(slug).filter(agent__in=agents, is_active=True)
        active = list(active.values_list("agent", flat=True))
        super().replace_each(agents, slug, successor)
        self.of_entry(successor).filter(agent__in=active).update(is_active=True)

    def lock_entry(self, slug):
        """Raises PersonaRequiresPayment, too."""
        persona = super().lock_entry(slug)
        if not persona.is_free:
            raise PersonaRequiresPayment
        return persona

    @transaction.atomic
    def activate(self, agent, slug):
        """Make an installed persona the agent's one active persona.

        Raises PersonaNotInstalled, or PersonaNotFound if it is withdrawn (contract 12.7).
        """
        install = self.lock_published(agent, slug)
        install.activate()
        return install

    @transaction.atomic
    def deactivate(self, agent, slug):
        """Make an installed persona inactive, even if it is withdrawn.

        Raises PersonaNotInstalled (contract 12.6).
        """
        agent.lock_active()
        install = self.own(agent, slug)
        if install.is_active:
            install.is_active = False
            install.save(update_fields=["is_active"])
        return install


class PersonaInstall(Install):
    kind, Entry, Version = "persona", Persona, PersonaVersion
    STATEMENTS = INSTALL_PERSONA
    AlreadyInstalled = PersonaAlreadyInstalled
    NotInstalled, NotFound = PersonaNotInstalled, PersonaNotFound

    agent = models.ForeignKey(
        Agent, models.CASCADE, related_name="persona_installs", db_index=False
    )
    persona = models.ForeignKey(
        Persona, models.PROTECT, related_name="agent_installs", db_index=False
    )
    pinned = models.ForeignKey(
        PersonaVersion, models.PROTECT, null=True, editable=False, related_name="+", db_index=False
    )
    is_active = models.BooleanField(default=False)

    objects = PersonaInstallManager()

    class Meta(Install.Meta):
        constraints = [
            once_per_agent("persona"),
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
        indexes = indexes_of("persona")

    def activate(self):
        """Make it the one active persona of its agent, which is locked."""
        if self.is_active:
            return
        # The previous one gives way, as in INSTALL_PERSONA.
        PersonaInstall.objects.filter(agent=self.agent_id, is_active=True).update(is_active=False)
        self.is_active = True
        self.save(update_fields=["is_active"])

    def uninstall(self):
        self.is_active = False
        super().uninstall("is_active")
