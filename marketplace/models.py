import secrets
import string

from django.db import models

# What a slug and a handle look like.
SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def random_text(length, alphabet=BASE62):
    return "".join(secrets.choice(alphabet) for _ in range(length))


def make_public_id(kind):
    """An identifier for the wire, `skill_4fK…`: random, so that it tells nothing about its row."""
    return f"{kind}_{random_text(16)}"


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
