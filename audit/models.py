"""The audit trail: who did what, when and from where (contract 33)."""

import json
from datetime import timedelta
from uuid import uuid4

from django.contrib.postgres.indexes import GinIndex
from django.db import connection, models, transaction
from django.db.models import F
from django.db.models.functions import Now

from marketplace.acting import current_act
from marketplace.hidden_text import visible
from marketplace.secrets import mask, mask_tokens

MAX_NAMES, MAX_NAME, MAX_MESSAGE = 100, 200, 2000
LOG_INS = ["log_in", "log_in_failed"]
NAMES = {"names", "also"}  # the details that are names
BATCH = 1000  # events that are read at a time
ABANDONED = timedelta(hours=1)  # a draft that has not changed for so long has lost its process
# In this order: what the sequence has given, what of it is still open, and then the rows.
LAST_ID = "SELECT coalesce(pg_sequence_last_value('audit_auditevent_id_seq'), 0)"
FIRST_OPEN_ID = """
    SELECT min(objid::bigint) + 1 FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 2 AND classid = 'audit_auditevent'::regclass::oid
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND pid <> pg_backend_pid()
"""
# The first time there may be years of events, for which no statement has the time.
ALLOW_DELETE = """
    SELECT set_config('audit.pruning', 'on', true), set_config('statement_timeout', '0', true)
"""
FORBID_DELETE = "SELECT set_config('audit.pruning', '', true)"


def fetch_value(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


class RecordedAct(models.Model):
    class Actor(models.TextChoices):
        STAFF = "staff"
        OPERATOR = "operator"
        AGENT = "agent"
        COMMAND = "command"
        SYSTEM = "system"

    at = models.DateTimeField(db_default=Now())
    actor_kind = models.CharField("actor", max_length=8, choices=Actor)
    actor_name = models.CharField("name", max_length=MAX_NAME, blank=True)
    action = models.CharField(max_length=80)
    object_kind = models.CharField("of", max_length=80, blank=True)
    object_name = models.CharField("object", max_length=MAX_NAME, blank=True)
    address = models.CharField(max_length=64, blank=True)
    request_id = models.CharField("request ID", max_length=64, blank=True)
    # `count` and `names` if there are several objects, `also` for those of other kinds, `message`,
    # and counts and filters by their names.
    details = models.JSONField(default=dict)

    class Meta:
        abstract = True

    def add(self, kind, names, **details):
        """Add objects to those of the act: their names, and what was done with them."""
        names = [name_of(name) for name in names]
        if kind == self.object_kind:
            new = [name for name in names if name not in self.details.get("names", [])]
            details = {"count": len(new), **details, "names": names}
        else:
            details["also"] = [f"{kind} {name}" for name in names]
        for key, value in masked(details).items():
            self.details[key] = joined(self.details.get(key), value)

    @property
    def fields(self):
        """The fields of the event that it becomes. One object alone is the event's own."""
        names = [field.name for field in RecordedAct._meta.fields]
        fields = {name: getattr(self, name) for name in names}
        details = {key: value for key, value in self.details.items() if value not in ([], 0, "")}
        if details.get("count") == 1 == len(details.get("names", [])):
            [fields["object_name"]] = details.pop("names")
            del details["count"]
        return fields | {"details": details}


def joined(old, new):
    """The new value of a detail: numbers add up, lists and sentences go on."""
    if isinstance(new, list):
        return [*dict.fromkeys([*(old or []), *new])][:MAX_NAMES]
    if isinstance(new, int):
        return (old or 0) + new
    if isinstance(new, str):
        sentences = [old, new] if old and new not in old else [new]
        return " ".join(sentences)[:MAX_MESSAGE]
    return new


def name_of(thing):
    """The name of a row or an actor. A long one is no secret, or nobody could tell whose it is."""
    return mask_tokens(str(thing).replace("\0", ""))[:MAX_NAME]


def masked(value, mask=mask):
    """A JSON value without secrets in its texts, and without NUL, which PostgreSQL refuses."""
    if isinstance(value, dict):
        return {
            masked(key): masked(item, mask_tokens if key in NAMES else mask)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [masked(item, mask) for item in value]
    return mask(value.replace("\0", "")) if isinstance(value, str) else value


class AuditEventQuerySet(models.QuerySet):
    def by(self, name):
        """The acts of everybody with this whole name: staff, an operator, an agent or a command."""
        return self.filter(actor_name=name)

    def in_order(self, after=0):
        """The events after an id, in order of id, of which few are in memory."""
        events = self.order_by("pk")
        while batch := list(events.filter(pk__gt=after)[:BATCH]):
            yield from batch
            after = batch[-1].pk


class AuditEventManager(models.Manager.from_queryset(AuditEventQuerySet)):
    def record(self, action, row=None, *, kind="", names=(), by=None, **details):
        """Record what somebody does, in the transaction that does it (contract 33.1).

        It is done to the row, or to objects of a kind. `by` is the (kind, name) of the actor, if it
        is not that of the current act. Where an act is one event, this adds to its draft.
        """
        if row is not None:
            kind, names = row._meta.model_name, [row]  # noqa: SLF001
        act = current_act()
        actor_kind, actor_name = by or (act.kind, act.name)
        event = {
            "actor_kind": actor_kind,
            "actor_name": name_of(actor_name),
            "action": action,
            "object_kind": kind,
            "address": act.address,
            "request_id": act.request_id,
        }
        if act.at_end is None:
            new = AuditEvent(**event)
            new.add(kind, names, **details)
            self.create(**new.fields)
        else:
            AuditDraft.objects.add(act, event, kind, names, **details)

    def last_id(self):
        return fetch_value(LAST_ID)

    def last_settled_id(self):
        """The last id below the first one that a running transaction may still fill.

        Every event gets its id under a lock that its transaction holds (schema/events.sql). So each
        id up to this one is there, or never will be. Needs autocommit, where a statement sees what
        was committed before it.
        """
        last = self.last_id()
        first_open = fetch_value(FIRST_OPEN_ID)
        return last if first_open is None else min(last, first_open - 1)

    @transaction.atomic
    def prune(self, days):
        """Delete what is older than so many days, and record it; returns the number."""
        fetch_value(ALLOW_DELETE)
        number, _ = self.filter(at__lt=Now() - timedelta(days=days)).delete()
        fetch_value(FORBID_DELETE)
        if number:
            self.record("prune_audit", kind="auditevent", deleted=number, days=days)
        return number


class AuditEvent(RecordedAct):
    """An act. PostgreSQL refuses to change it, and to delete it outside of `prune_audit`."""

    objects = AuditEventManager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            *(
                models.Index(name, F("id").desc(), name=f"audit_{name}")
                for name in (
                    *("actor_kind", "actor_name", "action", "object_name"),
                    *("address", "request_id"),
                )
            ),
            models.Index("at", name="audit_at"),
            GinIndex(fields=["details"], name="audit_details", opclasses=["jsonb_path_ops"]),
        ]

    def __str__(self):
        return visible(f"{self.action} {self.object_kind} {self.object_name}".rstrip())

    @property
    def line(self):
        """The event as a line of JSON in ASCII, which escapes control characters."""
        return json.dumps(self.as_dict)

    @property
    def as_dict(self):
        """The event as `{"id", "at", "actor", …}` (contract 33.1)."""
        return {
            "id": self.pk,
            "at": f"{self.at:%FT%T}.{self.at.microsecond // 1000:03}Z",
            "actor": {"kind": self.actor_kind, "name": name_of(self.actor_name) or None},
            "action": self.action,
            "object": {"kind": self.object_kind or None, "name": name_of(self.object_name) or None},
            "address": self.address or None,
            "requestId": self.request_id or None,
            "details": masked(self.details),
        }


class AuditDraftManager(models.Manager):
    def add(self, act, event, kind, names, **details):
        """Add to the draft of an act, in the transaction of what it records."""
        if not hasattr(act, "draft"):
            act.draft = uuid4()
            act.at_end.callback(self.complete, act.draft)
        draft = self.filter(pk=act.draft).first() or AuditDraft(pk=act.draft, **event)
        if event["action"] in LOG_INS:  # whatever it has changed before
            draft.action, draft.actor_name = event["action"], event["actor_name"]
        draft.add(kind, names, **details)
        draft.at = Now()
        draft.save()

    @transaction.atomic
    def complete(self, key):
        """Make the draft an event. There is none if its transactions were rolled back."""
        draft = self.select_for_update().filter(pk=key).first()
        if draft is not None:
            AuditEvent.objects.create(**draft.fields)
            draft.delete()

    def complete_abandoned(self):
        """Complete the drafts of processes that were killed."""
        abandoned = self.filter(at__lt=Now() - ABANDONED)
        for key in abandoned.values_list("pk", flat=True):
            self.complete(key)


class AuditDraft(RecordedAct):
    """The event of an act that takes several transactions, until the act ends."""

    key = models.UUIDField(primary_key=True)

    objects = AuditDraftManager()

    def __str__(self):
        return f"{self.action} {self.object_kind}"
