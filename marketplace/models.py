from django.db import models

from marketplace.secrets import random_text

# What a slug and a handle look like.
SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
# The maximum length of a reason that staff give for what they do.
MAX_REASON = 1000


def make_public_id(kind):
    """An identifier for the wire, `skill_4fK…`: random, so that it tells nothing about its row."""
    return f"{kind}_{random_text(16)}"


def max_length(model, name):
    """The maximum length of a text column; for an array column, of one of its items."""
    field = model._meta.get_field(name)  # noqa: SLF001
    return getattr(field, "base_field", field).max_length


def violates(error, constraint):
    """Whether an IntegrityError came from this constraint; its class alone does not tell."""
    diagnosis = getattr(error.__cause__, "diag", None)
    return diagnosis is not None and diagnosis.constraint_name == constraint


class RateCount(models.Model):
    """One counter of one window of one rate limit; read and written by ratelimits/counters.py.

    The table is UNLOGGED (see its migration): counting costs no write to the disk, and only a crash
    of the database resets the windows.
    """

    # The digest of what is counted: it keeps the rows and their index small.
    key = models.UUIDField(primary_key=True, editable=False)
    count = models.IntegerField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self):
        return str(self.key)


class DayCount(models.Model):
    """How many rows of a kind were added on a day that is over; see adminsite/dashboard.py."""

    name = models.CharField(max_length=32)
    day = models.DateField()
    rows = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "day"], name="one_count_per_name_and_day")
        ]

    def __str__(self):
        return f"{self.name} of {self.day}: {self.rows}"
