"""What changed in the catalogue in the last seven days, for a page and its Atom feed."""

from collections import Counter
from datetime import UTC
from functools import reduce
from itertools import groupby
from operator import attrgetter, or_
from types import SimpleNamespace

from django.db.models import F, Q

from catalogue.comparisons import summary_of
from catalogue.models import FileContent, Kind, PersonaVersion, SkillVersion
from interfaces.website.sql import events_of
from marketplace.diffs import Comparison

DAYS = 7
MOST = 20  # changes of each sort that are read, for each kind of entry
MAX_EVENTS = 50  # that are shown; a page stays below 60 KB
EVENTS = " UNION ALL ".join(events_of(kind) for kind in Kind.values)
MAX_TOKENS = 20_000  # of a text whose changed lines are counted
VERSIONS = {"skill": SkillVersion, "persona": PersonaVersion}
COLUMNS = [
    *("change", "kind", "entry", "public_id", "slug", "title"),
    *("number", "note", "successor", "at"),
]
# Within a day, changes that a reader must act on come first, and are left out last.
ORDER = ["recalled", "version recalled", "deprecated", "updated", "new"]


def by_day(changes):
    """`([(day, events), …], is_all)` of rows of EVENTS, newest first.

    If not all, there may be more events. An event has the `change`, the `kind`, `public_id`, `slug`
    and `title` of its entry, the `number` of its version or 0, a `note`, the slug of a `successor`
    or None, and `at`. The versions of one entry that were published on one day are one event, which
    has the number `before` them and `has_both`, whether the two can be compared.
    """
    rows = [SimpleNamespace(**dict(zip(COLUMNS, row, strict=True))) for row in changes]
    is_all = max(Counter((row.kind, row.change) for row in rows).values(), default=0) < MOST
    events = merged(rows)
    is_all = is_all and len(events) <= MAX_EVENTS
    events = sorted(events[:MAX_EVENTS], key=day_of, reverse=True)
    add_summaries(events)
    days = groupby(events, key=day_of)
    return [(day, [*rows]) for day, rows in days], is_all


def merged(events):
    """The events by ORDER, the newest first; updates of an entry on one day are one."""
    shown = {}
    for event in sorted(events, key=attrgetter("at", "number"), reverse=True):
        event.at = event.at.astimezone(UTC)
        event.before, event.has_both = event.number - 1, False
        key = event.kind, event.entry, day_of(event), event.change, event.number
        if event.change == "updated":
            first = shown.setdefault(key[:4], event)
            first.before = event.before
        else:
            shown[key] = event
    return sorted(shown.values(), key=lambda event: ORDER.index(event.change))


def day_of(event):
    return event.at.date()


def add_summaries(events):
    """Note what each update changed, in a statement for each kind of entry and one for texts."""
    updates = [event for event in events if event.change == "updated"]
    versions = {}
    for kind, rows in groupby(sorted(updates, key=attrgetter("kind")), key=attrgetter("kind")):
        versions |= versions_of(VERSIONS[kind], [*rows])
    short = [row for row in versions.values() if row.context_tokens <= MAX_TOKENS]
    texts = FileContent.objects.of({"digest": row.text_digest} for row in short)
    for version in versions.values():
        text = texts.get(version.text_digest)
        version.text = None if text is None else text.decode()
    comparison = Comparison()
    for event in updates:
        keys = [(event.kind, event.entry, number) for number in (event.before, event.number)]
        pair = [versions.get(key) for key in keys]
        event.has_both = None not in pair
        event.note = summary_of(*pair, comparison) if event.has_both else ""


def versions_of(model, events):
    """`{(kind, entry, number): version}` of those that may be read, before and after updates."""
    entry = f"{model.kind}_id"
    pairs = [Q(**{entry: e.entry, "number__in": [e.before, e.number]}) for e in events]
    of_entry = {name: F(f"{model.kind}__{name}") for name in model.OF_ENTRY}
    rows = model.objects.readable().annotate(**of_entry).filter(reduce(or_, pairs))
    return {(model.kind, getattr(row, entry), row.number): row for row in rows}
