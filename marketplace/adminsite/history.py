"""Snapshots of the rows that staff change (django-simple-history)."""

from django.db import models
from simple_history.models import HistoricalRecords


class StaffHistory(HistoricalRecords):
    """Snapshots that only the admin takes, with `row.take_snapshot`.

    The library would take one at every save. SIMPLE_HISTORY_ENABLED prevents that, so that
    registrations, installs, reviews and imports cost no extra statement.
    """

    def __init__(self, **options):
        reason = models.TextField(default="")
        super().__init__(history_change_reason_field=reason, **options)

    def add_extra_methods(self, cls):
        super().add_extra_methods(cls)
        # A class binds a function to its rows, but not a method of this object.
        cls.take_snapshot = lambda row, **details: self.take_snapshot(row, **details)  # noqa: PLW0108
        cls.snapshot_before_change = lambda row: self.snapshot_before_change(row)  # noqa: PLW0108

    def take_snapshot(self, row, *, user=None, reason="", kind="~", is_event=False):
        """Take a snapshot of the row, unless the newest one is the same; returns whether it did.

        An event always gets a snapshot, because it may have changed no column of the row itself.
        """
        newest = row.history.first()
        is_change = kind == "~" and not is_event
        if is_change and newest is not None and not changes_between(newest, row):
            return False
        row._history_user, row._change_reason = user, reason
        self.create_historical_record(row, kind)
        return True

    def snapshot_before_change(self, row):
        """Take a snapshot of the row as it is in the database, so that it can be restored.

        Its date is the date of the last change, but never before the newest snapshot.
        """
        current = type(row).objects.get(pk=row.pk)
        changed_at = getattr(current, "updated_at", current.created_at)
        newest = current.history.first()
        current._history_date = max(changed_at, newest.history_date) if newest else changed_at
        current.take_snapshot(reason="Snapshot before the change")


def changes_between(snapshot, row):
    """`{field: (old, new)}` from a snapshot to a row or to a later snapshot of it."""
    pairs = {
        field: (getattr(snapshot, field.attname), getattr(row, field.attname))
        for field in snapshot.tracked_fields
    }
    for field in snapshot._history_m2m_fields:
        pairs[field] = (related_keys(snapshot, field), related_keys(row, field))
    return {field: pair for field, pair in pairs.items() if pair[0] != pair[1]}


def related_keys(row, field):
    """The keys that a row or a snapshot has in a many-to-many field, in order."""
    rows = getattr(row, field.name)
    if hasattr(row, "history_id"):
        return sorted(rows.values_list(field.m2m_reverse_field_name(), flat=True))
    return sorted(rows.order_by().values_list("pk", flat=True))
