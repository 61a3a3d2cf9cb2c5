"""The catalogue of the model: what an entry shows, and what a list's parameters mean."""

import re
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from itertools import count
from typing import Any

from tests.system.matchers import ShortRepr, StartsWith

FILTERS = {
    "skills": {"category", "tag", "runtime", "author", "bundledIn"},
    "personas": {"category", "tag", "runtime", "author", "free", "minRating", "skill"},
}
SORTS = {
    "skills": {"relevance", "downloads", "newest", "updated", "name"},
    "personas": {"relevance", "installs", "newest", "updated", "name", "rating", "price"},
}
COMMON = {"q", "query", "search", "sort", "limit", "cursor"}
edits = count()  # numbers the changes of entries that staff make


@dataclass(eq=False)
class Entry(ShortRepr):
    """A skill or a persona; `bundle` is what a persona bundles, `bundled_in` the other end."""

    kind: str
    public_id: Any
    fields: dict  # slug, title and all that staff write and a list shows as it is
    content: str
    status: str
    created: Any
    updated: Any
    price_cents: int = 0
    bundle: list = field(default_factory=list)
    bundled_in: list = field(default_factory=list)
    installed_by: list = field(default_factory=list)
    ratings: dict = field(default_factory=dict)  # agent -> rating
    born: int = field(default_factory=lambda: next(edits))

    def __post_init__(self):
        self.edited = self.born
        self.slug = self.fields["slug"]

    def __repr__(self):
        return self.slug

    @property
    def is_published(self):
        return self.status == "published"

    @property
    def average(self):
        ratings = self.ratings.values()
        return two_decimals(sum(ratings) / len(ratings)) if ratings else None

    def named(self):
        """As a profile shows it."""
        kind = self.kind.removesuffix("s")
        return {f"{kind}Id": self.public_id, "slug": self.slug, "title": self.fields["title"]}

    def listed(self):
        shown = {
            **self.named(),
            **self.fields,
            "contextTokens": -(-len(self.content) // 4),
            "createdAt": self.created,
            "updatedAt": self.updated,
        }
        if self.kind == "skills":
            return {**shown, "downloads": len(self.installed_by)}
        return {
            **shown,
            "priceCents": self.price_cents,
            "isFree": self.price_cents == 0,
            "skills": slugs(self.bundle),
            "installs": len(self.installed_by),
            "ratingAvg": number(self.average),
            "ratingCount": len(self.ratings),
        }

    def detail(self):
        if self.kind == "skills":
            bundles = [
                {"slug": p.slug, "title": p.fields["title"]} for p in published(self.bundled_in)
            ]
            return {**self.listed(), "content": self.content, "personas": bundles}
        nearest = [
            int(rating.quantize(Decimal(1), ROUND_HALF_UP)) for rating in self.ratings.values()
        ]
        return {
            **self.listed(),
            "content": None if self.price_cents else self.content,
            "skills": [
                {**skill.named(), "description": skill.fields["description"]}
                for skill in published(self.bundle)
            ],
            "ratings": {
                "average": number(self.average),
                "count": len(self.ratings),
                "distribution": {str(rating): nearest.count(rating) for rating in range(1, 6)},
            },
        }

    def words(self):
        texts = [self.slug, self.fields["title"], self.fields["description"], *self.fields["tags"]]
        return set(re.findall("[a-z0-9]+", " ".join(texts).lower()))


def published(entries):
    return sorted((e for e in entries if e.is_published), key=lambda entry: entry.slug)


def slugs(entries):
    return [entry.slug for entry in published(entries)]


def two_decimals(value):
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def number(value):
    """A whole number without a fraction."""
    if value is None:
        return None
    return int(value) if value == int(value) else float(value)


def list_query(kind, entries, query):
    """The entries that a valid query asks for, in their order."""
    words = set(query.get("q", "").lower().split())
    wanted = [
        entry
        for entry in entries
        if entry.is_published
        and (not words or words & entry.words())
        and all(PASSES[name](entry, query[name]) for name in FILTERS[kind] & query.keys())
    ]
    sort = query.get("sort", "downloads" if kind == "skills" else "installs")
    newest_first = sorted(wanted, key=lambda entry: -entry.born)
    return sorted(newest_first, key=SORT_KEYS[sort])


PASSES = {
    "category": lambda entry, value: entry.fields["category"] == value,
    "author": lambda entry, value: entry.fields["author"] == value,
    "runtime": lambda entry, value: value in entry.fields["runtimes"],
    "tag": lambda entry, values: set(values) <= set(entry.fields["tags"]),
    "bundledIn": lambda skill, slug: slug in slugs(skill.bundled_in),
    "skill": lambda persona, slug: slug in slugs(persona.bundle),
    "free": lambda persona, value: (persona.price_cents == 0) == (value == "true"),
    "minRating": lambda persona, value: (persona.average or 0) >= Decimal(value),
}
SORT_KEYS = {
    "downloads": lambda skill: -len(skill.installed_by),
    "installs": lambda persona: -len(persona.installed_by),
    "newest": lambda entry: -entry.born,
    "updated": lambda entry: -entry.edited,
    "name": lambda entry: entry.fields["title"].lower(),
    "rating": lambda persona: -(persona.average or 0),
    "price": lambda persona: persona.price_cents,
}


def query_problem(kind, query):
    """The error text of an invalid query, or None."""
    allowed = FILTERS[kind] | COMMON
    unknown = next((name for name in query if name not in allowed), None)
    if unknown is not None:
        return f"Unknown query parameter '{unknown}'. Allowed: {', '.join(sorted(allowed))}"
    sort, limit = query.get("sort", "newest"), query.get("limit", "20")
    is_fine = {
        "sort": sort in SORTS[kind] and (sort != "relevance" or "q" in query),
        "limit": limit.isdigit() and 1 <= int(limit) <= 100,
        "free": query.get("free", "true") in {"true", "false"},
        "minRating": is_rating(query.get("minRating", "1")),
        # No cursor that the test makes up is valid; it takes the valid ones from links.
        "cursor": "cursor" not in query,
    }
    return next((StartsWith(name) for name, fine in is_fine.items() if not fine), None)


def is_rating(text):
    return re.fullmatch(r"[0-9.]+", text) is not None and 1 <= float(text) <= 5
