from django.db import models
from django.utils import timezone


def is_checked(entry):
    """Whether staff have checked the newest version of an entry, or of a row of a list."""
    return entry.checked_number == entry.number


class Checked(models.Model):
    """Which version of an entry staff have checked. The public pages show it, the API does not."""

    # Another text has another number, so it counts as unchecked (`is_checked`).
    checked_number = models.PositiveIntegerField(null=True, editable=False)
    checked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True

    def mark_as_checked(self):
        self.checked_number, self.checked_at = self.number, timezone.now()
        self.save(update_fields=["checked_number", "checked_at"])

    def remove_check(self):
        self.checked_number = self.checked_at = None
        self.save(update_fields=["checked_number", "checked_at"])
