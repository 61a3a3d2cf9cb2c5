from django.db import models
from django.utils import timezone


class Checked(models.Model):
    """Which version of an entry staff have checked. The public pages show it, the API does not."""

    # Another text has another number, so it counts as unchecked.
    checked_number = models.PositiveIntegerField(null=True, editable=False)
    checked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True

    @property
    def is_checked(self):
        """Whether staff have checked the newest version."""
        return self.checked_number == self.number

    def mark_as_checked(self):
        self.checked_number, self.checked_at = self.number, timezone.now()
        self.save(update_fields=["checked_number", "checked_at"])

    def take_back_check(self):
        self.checked_number = self.checked_at = None
        self.save(update_fields=["checked_number", "checked_at"])
