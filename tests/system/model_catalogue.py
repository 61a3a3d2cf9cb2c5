"""The model's catalogue: the fields of an entry, and the parameters of a list."""

import re
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from itertools import count
from typing import Any

from tests.system.matchers import ShortRepr
from tests.system.model_versions import Versioned, agent_file, digest_of

edits = count()  # numbers the staff's changes to entries


@dataclass(eq=False)
class Entry(Versioned, ShortRepr):
    """A skill or a persona; `bundle` has a persona's skills, `bundled_in` a skill's personas."""

    kind: str
    public_id: Any
    fields: dict  # slug, title and everything that staff write and a list shows unchanged
    content: str
    status: str
    created: Any
    updated: Any
    frontmatter: Any = None  # of a persona
    price_cents: int = 0
    deprecation: str = ""
    successor: Any = None
    reason: str = ""  # of its recall
    withdrawn: Any = None  # when: as `edited` numbers it, and the timestamp
    bundle: list = field(default_factory=list)
    bundled_in: list = field(default_factory=list)
    installs: int = 0  # all that ever existed
    reviews: dict = field(default_factory=dict)  # agent -> Review
    maintainers: dict = field(default_factory=dict)  # agent -> "present", "trusted" or "removed"
    authors: dict = field(default_factory=dict)  # number of a submitted version -> agent
    versions: list = field(default_factory=list)  # Version, the oldest first
    written_digest: Any = None  # of a skill that a purge erased
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
    def present_maintainers(self):
        return [agent for agent, state in self.maintainers.items() if state != "removed"]

    @property
    def ratings(self):
        return [review.rating for review in self.reviews.values() if review.is_shown]

    @property
    def average(self):
        ratings = self.ratings
        return two_decimals(sum(ratings) / len(ratings)) if ratings else None

    @property
    def digest(self):
        """For a persona's file; for a skill's, which is its content here (model_data)."""
        is_written = self.kind == "skills" and not self.content
        return self.written_digest if is_written else digest_of(self.file_text)

    @property
    def file_text(self):
        return (self.frontmatter or "") + self.content

    @property
    def context_tokens(self):
        return -(-len(self.content) // 4)

    @property
    def gone(self):
        """Since when it is out of the catalogue, like `withdrawn`."""
        return self.withdrawn or (self.edited, self.updated)

    @property
    def deprecated(self):
        if not self.deprecation:
            return None
        is_shown = self.successor is not None and self.successor.is_published
        return {
            "message": self.deprecation,
            "replacedBy": self.successor.slug if is_shown else None,
        }

    def compared(self, install):
        """Its text, and the text that an install knows."""
        return {
            "version": self.fields["version"],
            "digest": self.digest,
            "installedDigest": install and install.digest,
        }

    def named(self):
        """As a profile shows it."""
        kind = self.kind.removesuffix("s")
        return {f"{kind}Id": self.public_id, "slug": self.slug, "title": self.fields["title"]}

    def listed(self):
        row = {
            **self.named(),
            **self.fields,
            "number": len(self.versions),
            "contextTokens": self.context_tokens,
            "digest": self.digest,
            "deprecation": self.deprecated,
            "createdAt": self.created,
            "updatedAt": self.updated,
        }
        if self.kind == "skills":
            return {**row, "downloads": self.installs}
        return {
            **row,
            "priceCents": self.price_cents,
            "isFree": self.price_cents == 0,
            "skills": slugs(self.bundle),
            "installs": self.installs,
            "ratingAvg": number(self.average),
            "ratingCount": len(self.ratings),
        }

    def detail(self):
        if self.kind == "skills":
            bundles = [
                {"slug": p.slug, "title": p.fields["title"]} for p in published(self.bundled_in)
            ]
            return {**self.listed(), "content": self.content, "files": [], "personas": bundles}
        nearest = [stars(rating) for rating in self.ratings]
        return {
            **self.listed(),
            "content": None if self.price_cents else self.content,
            **agent_file(self.frontmatter, is_free=not self.price_cents),
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


def stars(rating):
    """The nearest whole, halves up."""
    return int(rating.quantize(Decimal(1), ROUND_HALF_UP))


def number(value):
    """A whole number without a fraction."""
    if value is None:
        return None
    return int(value) if value == int(value) else float(value)


def list_query(kind, entries, query):
    """The entries for a valid query, in order."""
    words = set(query.get("q", "").lower().split())
    matches = [
        entry
        for entry in entries
        if entry.is_published
        and (not words or words & entry.words())
        and all(PASSES[name](entry, query[name]) for name in PASSES.keys() & query.keys())
    ]
    sort = query.get("sort", "downloads" if kind == "skills" else "installs")
    newest_first = sorted(matches, key=lambda entry: -entry.born)
    return sorted(newest_first, key=SORT_KEYS[sort])


def in_lower_case(value):
    return {text.lower() for text in (value if isinstance(value, list) else [value])}


def has_labels(field):
    """The test of a filter: whether an entry has the value, or all values, in any case."""

    def passes(entry, value):
        return in_lower_case(value) <= in_lower_case(entry.fields[field])

    return passes


PASSES = {
    **{name: has_labels(name) for name in ("category", "author", "license")},
    "runtime": has_labels("runtimes"),
    "tag": has_labels("tags"),
    "bundledIn": lambda skill, slug: slug in slugs(skill.bundled_in),
    "skill": lambda persona, slug: slug in slugs(persona.bundle),
    "free": lambda persona, value: (persona.price_cents == 0) == (value == "true"),
    "minRating": lambda persona, value: (persona.average or 0) >= Decimal(value),
}
SORT_KEYS = {
    "downloads": lambda skill: -skill.installs,
    "installs": lambda persona: -persona.installs,
    "newest": lambda entry: -entry.born,
    "updated": lambda entry: -entry.edited,
    "name": lambda entry: entry.fields["title"].lower(),
    "rating": lambda persona: -(persona.average or 0),
    "price": lambda persona: persona.price_cents,
}
