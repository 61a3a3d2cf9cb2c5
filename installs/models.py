from django.contrib.postgres.indexes import BrinIndex
from django.db import IntegrityError, models, transaction
from django.db.models import F

from agents.models import Agent
from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.models import Persona, Skill
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
)
from installs.sql import INSTALL_PERSONA, INSTALL_SKILL
from marketplace.db.compiled_queries import run_at_once
from marketplace.models import violates

# What an answer shows of an entry; its texts stay in the database.
SHOWN = ("public_id", "slug", "title", "status")


class SkillInstallManager(models.Manager):
    def install(self, agent, slug, *, runtime=""):
        """Give the agent a skill, at most once, and count the download.

        Raises SkillAlreadyInstalled, even if staff have withdrawn the skill since, or
        SkillNotFound (specification, Skill installation).
        """
        return self.install_at_once(agent, slug, runtime) or self.install_stepwise(
            agent, slug, runtime
        )

    def install_at_once(self, agent, slug, runtime):
        """The install by one statement, or None where anything is in its way."""
        row = run_at_once(INSTALL_SKILL, agent=agent.pk, slug=slug, runtime=runtime)
        if row is None:
            return None
        pk, skill_pk, public_id = row
        skill = Skill(pk=skill_pk, public_id=public_id, slug=slug)
        return self.model(pk=pk, agent=agent, skill=skill, runtime=runtime)

    def install_stepwise(self, agent, slug, runtime):
        try:
            with transaction.atomic():
                skill = agent.look_up(Skill.objects.only(*SHOWN), slug)
                if not skill.is_published and not self.filter(agent=agent, skill=skill).exists():
                    raise SkillNotFound
                install = self.create(agent=agent, skill=skill, runtime=runtime)
                Skill.objects.count_download(skill)
                return install
        except IntegrityError as error:
            if violates(error, "one_install_per_agent_and_skill"):
                raise SkillAlreadyInstalled from error
            raise


class Install(models.Model):
    """An agent has something: what skill and persona installs share."""

    installed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering = ["-id"]

    def __str__(self):
        return f"install {self.pk}"


class SkillInstall(Install):
    # The unique constraint begins with the agent and serves as this key's index.
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="skill_installs", db_index=False)
    skill = models.ForeignKey(Skill, models.PROTECT, related_name="agent_installs")
    runtime = models.TextField(blank=True)

    objects = SkillInstallManager()

    class Meta(Install.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "skill"], name="one_install_per_agent_and_skill"
            )
        ]
        indexes = [
            models.Index(F("agent"), F("id").desc(), name="skill_install_newest"),
            # For the figures by day; rows come in the order of their time, which keeps it tiny.
            BrinIndex(fields=["installed_at"], name="skill_install_day", autosummarize=True),
        ]


class PersonaInstallManager(models.Manager):
    def install(self, agent, slug, *, activate=False):
        """Give the agent a free persona, at most once; on request as its one active persona.

        Raises PersonaAlreadyInstalled, even if staff have withdrawn the persona or given it a price
        since, PersonaNotFound or PersonaRequiresPayment.
        """
        return self.install_at_once(agent, slug, activate) or self.install_stepwise(
            agent, slug, activate
        )

    def install_at_once(self, agent, slug, activate):
        """The install by one statement, or None where anything is in its way."""
        row = run_at_once(INSTALL_PERSONA, agent=agent.pk, slug=slug, activate=activate)
        if row is None:
            return None
        pk, persona_pk, public_id = row
        persona = Persona(pk=persona_pk, public_id=public_id, slug=slug)
        return self.model(pk=pk, agent=agent, persona=persona, is_active=activate)

    def install_stepwise(self, agent, slug, activate):
        try:
            with transaction.atomic():
                persona = agent.look_up(Persona.objects.only(*SHOWN, "price_cents"), slug)
                if not persona.is_published or not persona.is_free:
                    self._refuse(agent, persona)
                if activate:
                    # Two activations of one agent take turns on its lock. Without it neither
                    # would see the other's row here, and the constraint would refuse one.
                    self.filter(agent=agent, is_active=True).update(is_active=False)
                install = self.create(agent=agent, persona=persona, is_active=activate)
                if not Persona.objects.count_install(persona):
                    self._refuse_changed(slug)
                return install
        except IntegrityError as error:
            if violates(error, "one_install_per_agent_and_persona"):
                raise PersonaAlreadyInstalled from error
            raise

    def _refuse(self, agent, persona):
        if self.filter(agent=agent, persona=persona).exists():
            raise PersonaAlreadyInstalled
        if not persona.is_published:
            raise PersonaNotFound
        raise PersonaRequiresPayment

    def _refuse_changed(self, slug):
        """Staff priced or withdrew the persona between its look-up and its count."""
        Persona.objects.published().only("pk").by_slug(slug)
        raise PersonaRequiresPayment


class PersonaInstall(Install):
    agent = models.ForeignKey(
        Agent, models.CASCADE, related_name="persona_installs", db_index=False
    )
    persona = models.ForeignKey(Persona, models.PROTECT, related_name="agent_installs")
    is_active = models.BooleanField(default=False)

    objects = PersonaInstallManager()

    class Meta(Install.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "persona"], name="one_install_per_agent_and_persona"
            ),
            models.UniqueConstraint(
                fields=["agent"],
                condition=models.Q(is_active=True),
                name="one_active_persona_per_agent",
            ),
        ]
        indexes = [
            models.Index(F("agent"), F("id").desc(), name="persona_install_newest"),
            BrinIndex(fields=["installed_at"], name="persona_install_day", autosummarize=True),
        ]
