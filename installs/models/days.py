from django.db import models

from catalogue.models import Persona, Skill


class InstallDay(models.Model):
    """How often an entry was installed on a day in UTC; kept by a trigger on the installs.

    What was uninstalled since counts, as in `downloads`.
    """

    day = models.DateField()
    installs = models.PositiveIntegerField()

    class Meta:
        abstract = True

    def __str__(self):
        return f"{self.installs} on {self.day}"


class SkillDay(InstallDay):
    pk = models.CompositePrimaryKey("skill_id", "day")
    # The primary key begins with it.
    skill = models.ForeignKey(Skill, models.CASCADE, related_name="install_days", db_index=False)


class PersonaDay(InstallDay):
    pk = models.CompositePrimaryKey("persona_id", "day")
    persona = models.ForeignKey(
        Persona, models.CASCADE, related_name="install_days", db_index=False
    )
