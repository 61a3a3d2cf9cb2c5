from django.db import models
from django.db.models import Q

from catalogue.models import PersonaVersion, SkillVersion
from submissions.models.submissions import Submission


class SubmittedVersion(models.Model):
    """The author of a submitted version, and the person who published it (contract 29.12).

    Triggers refuse every change (schema/submitted_versions.sql).
    """

    skill_version = models.OneToOneField(
        SkillVersion, models.PROTECT, null=True, related_name="submitted"
    )
    persona_version = models.OneToOneField(
        PersonaVersion, models.PROTECT, null=True, related_name="submitted"
    )
    submission = models.OneToOneField(Submission, models.PROTECT, related_name="version")
    submitted_by = models.CharField(max_length=200)  # @handle, or the name of staff
    published_by = models.CharField(max_length=200, blank=True)  # empty if the agent is trusted
    published_at = models.DateTimeField(auto_now_add=True)

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
    def version(self):
        return self.skill_version or self.persona_version
