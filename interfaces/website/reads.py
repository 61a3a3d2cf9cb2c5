"""Reads that only the website needs."""

import time
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.conf import settings

from catalogue.models import TITLE_WITHOUT_CASE, Persona, Skill, in_nfc
from infrastructure.db.statements import fetch_all, fetch_one
from infrastructure.http_cache.validators import ALWAYS_FRESH, Read, Validator
from infrastructure.replicas.reading import on_replica
from interfaces.website import activity, week
from interfaces.website.sql import IDS_PER_PART, USES, parts_of, related_of
from search import reads
from search.list_queries import MAX_QUERY, PersonaQuery, SkillQuery
from search.reads import completed, most_common, version_validator
from submissions.models import SubmittedVersion

MODELS = {"skills": Skill, "personas": Persona}
PARTS = {section: parts_of(model._meta.db_table) for section, model in MODELS.items()}  # noqa: SLF001
LISTS = {"skill": (SkillQuery, reads.skills), "persona": (PersonaQuery, reads.personas)}
WEEKS = 12
# Bounds what an entry with many installs costs.
MAX_AGENTS, MAX_INSTALLS, MAX_HOLDERS = 100, 30, 1_000
MAX_RELATED = 4
STATEMENTS = {
    Skill: related_of("skill", counter=Skill.POPULARITY),
    Persona: related_of("persona", counter=Persona.POPULARITY),
}
ACTIVITY_SECONDS = 10  # that all visitors see the same activity
USES_SECONDS = 300  # that the start page keeps its numbers of agents and installs
MAX_USES = 10_000  # that it counts exactly
MAX_TILES = 12  # categories of the start page
NEWEST = {"sort": ["newest"]}


def first_of(kind, number, query_params):
    """The first page of the list of a kind."""
    query_class, entries = LISTS[kind]
    return entries.page(query_class(query_params, default_limit=number))


@on_replica
def start_page():
    """The first pages of both lists, `categories`, and `uses`, how many `agents` and `installs`."""
    lists = {"skills": first_of("skill", 6, {}), "personas": first_of("persona", 6, {})}
    categories = most_common("skill", ["category"], limit=MAX_TILES)
    validators = [categories.validator, *(page.validator for page in lists.values())]
    counts = [(name, entries) for _, name, entries in categories.value]
    uses = fetch_one(USES, {"most": MAX_USES + 1})
    validators.append(Validator.of(five_minutes))
    return Read({**lists, "categories": counts, "uses": uses}, Validator.of_all(validators))


@on_replica
def newest(number):
    """The newest skills and the newest personas, by section."""
    lists = {f"{kind}s": first_of(kind, number, NEWEST) for kind in LISTS}
    rows = {section: page.results for section, page in lists.items()}
    return Read(rows, Validator.of_all([page.validator for page in lists.values()]))


@on_replica
def related_to(entry):
    """Read the related entries and the weekly installs of an entry in one statement.

    `weeks` holds the installs of the last twelve weeks, oldest first. `holders` counts the agents
    that have the entry, up to one more than MAX_HOLDERS. `also` lists entries that agents with this
    one have installed, `more` lists others by its author. Each is `{"slug", "title", "category"}`.
    `taken`, `marketplace` and `has_catalogue` say how git clients install the entry.
    """
    day = today()
    row = fetch_one(
        STATEMENTS[type(entry)],
        {
            "entry": entry.pk,
            "today": day,
            "weeks": WEEKS,
            "limit": MAX_RELATED,
            "max_agents": MAX_AGENTS,
            "max_installs": MAX_INSTALLS,
            "max_holders": MAX_HOLDERS,
            "most": settings.GIT_MAX_ENTRIES,
        },
    )
    # Fresh while the catalogue and the day stay the same. An install of the entry itself changes
    # its row. Other installs, and uninstalls, show up here only after one of these changes.
    validator = Validator.of_all([version_validator(row.version), Validator(today, day)])
    return Read(row, validator)


def today():
    return datetime.now(UTC).date()


def until_tomorrow():
    """The validator of a page that shows ages in days."""
    return Validator(today, today())


def moment():
    return int(time.time()) // ACTIVITY_SECONDS


def five_minutes():
    return int(time.time()) // USES_SECONDS


@on_replica
def newest_activity():
    validator = Validator.of(moment)
    return Read(activity.newest(), validator)


@on_replica
def this_week():
    """The changes of the last seven days, as `week.by_day` returns them."""
    validator = Validator.of(partial(changes_since, today() - timedelta(days=week.DAYS - 1)))
    return Read(week.by_day(validator.seen), validator)


def changes_since(day):
    since = datetime.combine(day, datetime.min.time(), UTC)
    return fetch_all(week.EVENTS, {"since": since, "most": week.MOST})


@on_replica
def suggestions(kinds, text, facets, number):
    """`{kind: (facet values, {slug: title})}` for a text, which may be empty."""
    counts = {kind: most_common(kind, facets) for kind in kinds}
    rows = {kind: (read.value, titles(kind, text, number)) for kind, read in counts.items()}
    return Read(rows, Validator.of_all([read.validator for read in counts.values()]))


def titles(kind, text, number):
    """Titles that begin with the text, then those of the best search results, by slug."""
    if not text:
        return {}
    by_title = MODELS[f"{kind}s"].objects.published().alias(name=TITLE_WITHOUT_CASE)
    by_title = by_title.filter(name__startswith=in_nfc(text).lower()).order_by("name")
    matches = dict(by_title.values_list("slug", "title")[:number])
    best = first_of(kind, number, {"q": [completed(kind, text)[:MAX_QUERY]]})
    return matches | {row.slug: row.title for row in best.results}


@on_replica
def sitemap_parts():
    """`[(section, number), …]`"""
    validator = Validator.of(parts)
    return Read(validator.seen, validator)


def parts():
    return [(section, number) for section, sql in PARTS.items() for (number,) in fetch_all(sql)]


@on_replica
def sitemap_part(section, number):
    """Slugs of published entries, and when they were last changed."""
    first = number * IDS_PER_PART
    entries = MODELS[section].objects.published().order_by("pk")
    rows = entries.filter(pk__gte=first, pk__lt=first + IDS_PER_PART)
    return list(rows.values_list("slug", "updated_at"))


class VersionAuthor(NamedTuple):
    """`@handle (Ada Lovelace)`, and the run of CI that sent the version, in words, or ""."""

    name: str
    sent_from: str

    def __str__(self):
        return self.name


@on_replica
def authors_of(kind, entry_id, numbers):
    """`{number: VersionAuthor}` of the versions of an entry that agents submitted."""
    if not numbers:
        return Read({}, ALWAYS_FRESH)
    validator = Validator.of(partial(names_of_authors, kind, entry_id, numbers))
    return Read(validator.seen, validator)


def names_of_authors(kind, entry_id, numbers):
    rows = SubmittedVersion.objects.numbered(kind, entry_id, numbers).items()
    return {number: VersionAuthor(row.author, row.sent_from) for number, row in rows if row.agent}
