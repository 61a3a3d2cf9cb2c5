"""What staff did to a row, as snapshots (django-simple-history), and how two texts differ."""

from datetime import datetime
from difflib import SequenceMatcher, unified_diff

from django.db import models
from django.utils.text import capfirst
from simple_history.models import HistoricalRecords

MAX_LINES = 5000  # of a text that is compared line by line
LONG = 120  # characters, from which on it is


class StaffHistory(HistoricalRecords):
    """Snapshots that the admin alone takes, by `row.keep_history`.

    The library listens to every save; here it does not, so that registrations, installs, reviews
    and imports write no snapshot and cost no statement.
    """

    def __init__(self, **options):
        reason = models.TextField(default="")
        super().__init__(history_change_reason_field=reason, **options)

    def add_extra_methods(self, cls):
        super().add_extra_methods(cls)
        # A function, which a class binds to its rows; a method of this object would not be.
        cls.keep_history = lambda row, **details: self.keep(row, **details)  # noqa: PLW0108

    def post_save(self, instance, created, using=None, **kwargs):
        """Nothing: `keep` does it."""

    def post_delete(self, instance, using=None, **kwargs):
        """Nothing: `keep` does it."""

    def m2m_changed(self, instance, action, attr, pk_set, reverse, **kwargs):
        """Nothing: `keep` does it."""

    def keep(self, row, *, user=None, reason="", kind="~", since=None):
        """Take a snapshot of the row, unless the newest one shows the same.

        It is dated now, or `since` when the row has been so; never before the newest one.
        """
        newest = row.history.first()
        if kind == "~" and newest is not None and not changes_between(newest, row):
            return
        if since is not None:
            row._history_date = max(since, newest.history_date) if newest else since  # noqa: SLF001
        row._history_user, row._change_reason = user, reason  # noqa: SLF001
        self.create_historical_record(row, kind)


def changes_between(snapshot, row):
    """`{field: (old, new)}` from a snapshot to a row or to a later snapshot of it."""
    pairs = {
        field: (getattr(snapshot, field.attname), getattr(row, field.attname))
        for field in snapshot.tracked_fields
    }
    for field in snapshot._history_m2m_fields:  # noqa: SLF001
        pairs[field] = (bundle(snapshot, field), bundle(row, field))
    return {field: pair for field, pair in pairs.items() if pair[0] != pair[1]}


def bundle(row, field):
    """What a row or a snapshot refers to by a many-to-many field, as keys in order."""
    rows = getattr(row, field.name)
    if hasattr(row, "history_id"):
        return sorted(rows.values_list(field.m2m_reverse_field_name(), flat=True))
    return sorted(rows.order_by().values_list("pk", flat=True))


def shown_change(name, old, new):
    """A change of a value as a person reads it; see templates/admin/changes.html."""
    old, new = shown_value(old), shown_value(new)
    is_long = max(len(old), len(new)) > LONG or "\n" in old + new
    diff = diff_lines(old, new) if is_long else diff_words(old, new)
    return {"name": capfirst(name), "is_long": is_long, "diff": diff}


def shown_value(value):
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    if isinstance(value, datetime):
        return f"{value:%d %B %Y, %H:%M:%S}"
    return "" if value is None else str(value)


def diff_lines(old, new):
    """What changed from one text to another, as (kind, line) with kind add, del, same or place."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > MAX_LINES:
        return [("place", f"{len(before):,} lines became {len(after):,}: too many to compare here")]
    lines = list(unified_diff(before, after, lineterm="", n=2))[2:]
    if not lines and old != new:
        return [("place", "only the line ends differ")]
    kinds = {"+": "add", "-": "del", "@": "place"}
    return [
        (kinds.get(line[0], "same"), "…" if line[0] == "@" else line[1:] or " ") for line in lines
    ]


def diff_words(old, new):
    """The same for a short text, in one line: (kind, words) with kind add, del or same."""
    before, after = old.split(" "), new.split(" ")
    parts = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(("same", " ".join(before[i1:i2])))
            continue
        parts += [("del", " ".join(before[i1:i2]))] if i2 > i1 else []
        parts += [("add", " ".join(after[j1:j2]))] if j2 > j1 else []
    return parts
