from django.db import models
from django.db.models import Q

from catalogue.models import PersonaVersion, SkillVersion
from submissions.models.provenance import SentFromRun
from submissions.models.submissions import Submission


class SubmittedVersionQuerySet(models.QuerySet):
    def numbered(self, kind, entry_id, numbers):
        """`{number: row}` of the versions of an entry that were submitted, with their authors."""
        version = f"{kind}_version"
        rows = self.filter(**{f"{version}__{kind}": entry_id, f"{version}__number__in": numbers})
        rows = rows.select_related(
            version, "submission__agent__claim__key", "submission__source"
        ).defer(
            *("submission__content", "submission__archive", "submission__files"),
            "submission__findings",
        )
        return {row.version.number: row for row in rows}


class SubmittedVersion(SentFromRun):
    """The author of a submitted version, and the person who published it (contract 29.12).

    A version that a source published without a decision has no submission (contract 30.7). Triggers
    refuse every change (schema/submitted_versions.sql).
    """

    skill_version = models.OneToOneField(
        SkillVersion, models.PROTECT, null=True, related_name="submitted"
    )
    persona_version = models.OneToOneField(
        PersonaVersion, models.PROTECT, null=True, related_name="submitted"
    )
    submission = models.OneToOneField(Submission, models.PROTECT, null=True, related_name="version")
    commit = models.CharField(max_length=40, blank=True, db_default="")  # of a source
    submitted_by = models.CharField(max_length=200)  # as Submission.author
    published_by = models.CharField(max_length=200, blank=True)  # "" if nobody decided
    published_at = models.DateTimeField(auto_now_add=True)

    objects = SubmittedVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(skill_version__isnull=False, persona_version=None)
                | Q(skill_version=None, persona_version__isnull=False),
                name="one_submitted_version",
            )
        ]

    def __str__(self):
        return f"{self.version}, submitted by {self.submitted_by}"

    @property
    def agent(self):
        """The agent that submitted it. None if staff or a source did."""
        return self.submission and self.submission.agent

    @property
    def author(self):
        """As Submission.author, with the agent's operator of then, if that name is verified."""
        operator = self.agent and self.agent.claim.verified_operator
        if not operator or self.agent.claim.claimed_at > self.submission.created_at:
            return self.submitted_by
        return f"{self.submitted_by} ({operator})"

    @property
    def version(self):
        return self.skill_version or self.persona_version
