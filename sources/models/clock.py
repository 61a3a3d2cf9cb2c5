"""Which process syncs the sources and does the regular jobs: the one that has the turn."""

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

LEASE = 30  # seconds


class ClockQuerySet(models.QuerySet):
    def acquire(self, holder):
        """Take the turn, or keep it; returns whether the holder has it now.

        The row has a lease, because a lock of a session does not hold behind a pooler. The clock of
        the database decides.
        """
        mine_or_free = Q(holder=holder) | Q(leased_until__lt=Now())
        lease = {"holder": holder, "leased_until": Now() + timedelta(seconds=LEASE)}
        if self.filter(mine_or_free).update(**lease):
            return True
        if self.exists():
            return False
        self.bulk_create(
            [self.model(holder=holder, leased_until=lease["leased_until"])], ignore_conflicts=True
        )
        return self.filter(holder=holder).exists()

    def release(self, holder):
        self.filter(holder=holder).update(leased_until=Now())


class Clock(models.Model):
    """The one row of the clock process (contract 30.21)."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    holder = models.CharField(max_length=300)  # the host, the process and a random number
    leased_until = models.DateTimeField()
    # When each regular job last ended: `{"clearsessions": "2026-11-27T03:00:00+00:00"}`.
    jobs = models.JSONField(default=dict)

    objects = ClockQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="only_one_clock")]

    def __str__(self):
        return self.holder
