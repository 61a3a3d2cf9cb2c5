from django.db import models
from django.db.models import Q
from django.utils import timezone

from agents.models import Agent
from catalogue.models import Persona, Skill


class MaintainerQuerySet(models.QuerySet):
    def of(self, entry):
        """Every row of an entry, including those of removed maintainers."""
        return self.filter(**{entry.kind: entry})

    def present(self):
        return self.filter(removed_at=None)

    def including(self, agent):
        """Those that make the agent a maintainer: its own, and those of its operator's agents.

        An operator's key that has ended joins nobody: others may have claimed agents with it.
        """
        key = agent.claim.key_id if agent.claim.claimed_at else None
        same_operator = Q(
            agent__claim__key=key,
            agent__claim__key__revoked_at=None,
            agent__claim__claimed_at__isnull=False,
        )
        return self.present().filter(Q(agent=agent) | same_operator if key else Q(agent=agent))

    def open_to_all(self, entry):
        """Let every author propose changes of an entry, as of one that staff made."""
        self.of(entry).delete()

    def add(self, entry, agent):
        """Make the agent a maintainer of an entry, again if it was removed."""
        row, is_new = self.get_or_create(**{entry.kind: entry}, agent=agent)
        if not is_new and row.removed_at:
            row.removed_at = None
            row.save(update_fields=["removed_at"])
        return row


class Maintainer(models.Model):
    """An agent whose submissions may change an entry (contract 29).

    The row of a removed one stays, so that the entry does not become everybody's. To open the entry
    to all authors, staff delete its rows.
    """

    skill = models.ForeignKey(
        Skill, models.CASCADE, null=True, related_name="maintainers", db_index=False
    )
    persona = models.ForeignKey(
        Persona, models.CASCADE, null=True, related_name="maintainers", db_index=False
    )
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="maintained")
    # Set by staff: its submissions are published at once. Triggers end it (schema/trust.sql).
    trusted_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, editable=False)

    objects = MaintainerQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(skill__isnull=False, persona=None)
                | Q(skill=None, persona__isnull=False),
                name="one_entry_per_maintainer",
            ),
            models.UniqueConstraint(fields=["skill", "agent"], name="unique_skill_maintainer"),
            models.UniqueConstraint(fields=["persona", "agent"], name="unique_persona_maintainer"),
            models.CheckConstraint(
                condition=Q(trusted_at=None) | Q(removed_at=None), name="only_present_are_trusted"
            ),
        ]

    def __str__(self):
        return f"@{self.agent} of {self.entry}"

    @property
    def entry(self):
        return self.skill or self.persona

    def remove(self):
        self.removed_at, self.trusted_at = timezone.now(), None
        self.save(update_fields=["removed_at", "trusted_at"])

    def trust(self):
        self.trusted_at = self.trusted_at or timezone.now()
        self.save(update_fields=["trusted_at"])

    def end_trust(self):
        self.trusted_at = None
        self.save(update_fields=["trusted_at"])
