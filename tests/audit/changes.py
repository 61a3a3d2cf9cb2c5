"""Whether something has changed anything, and how many events tell of it."""

from functools import cache

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session

from agents.models import Refusal
from audit.models import AuditDraft, AuditEvent
from importing.models import ImportRun
from marketplace.models import RateCount
from tests.snapshots import snapshot

# The trail itself, what only belongs to it, counts, and uploads that nobody has confirmed yet.
LEFT_OUT = [
    AuditEvent,
    AuditDraft,
    LogEntry,
    Session,
    ContentType,
    Permission,
    RateCount,
    Refusal,
    ImportRun,
]
# They tell when something was done, not what.
TIMES = {"updated_at", "last_used_at", "last_login", "decided_at", "due_at"}


@cache
def tables():
    """Every table but those of histories, without the times."""
    models = apps.get_models(include_auto_created=True)
    return [
        (model, *(field.name for field in model._meta.concrete_fields if field.name not in TIMES))
        for model in models
        if model not in LEFT_OUT
        and not model.__name__.startswith("Historical")
        and model._meta.managed
        and model._meta.pk.column  # None of rows that belong to entries, such as postings
    ]


class Watcher:
    """Tells what has changed since it looked the last time: tables, and new `events`."""

    def __init__(self):
        self.before, self.last = snapshot(*tables()), last_event()

    def look(self):
        after = snapshot(*tables())
        names = (table[0].__name__ for table in after if self.before[table] != after[table])
        self.changed, self.before = sorted(names), after
        self.events = list(AuditEvent.objects.filter(pk__gt=self.last).order_by("pk"))
        self.last = last_event()

    def assert_told_once(self):
        """One event if something has changed, and otherwise none."""
        self.look()
        assert len(self.events) == bool(self.changed), (self.changed, self.events)


def last_event():
    return AuditEvent.objects.values_list("pk", flat=True).first() or 0
