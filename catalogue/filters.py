"""The parameters of the two list endpoints (contract 6): what they mean and what they refuse."""

import re
from decimal import Decimal
from functools import partial
from threading import Lock

from cachetools import LRUCache
from django.db.models import Count, F, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThanOrEqual

from catalogue.models import RATING_OR_ZERO, TITLE_WITHOUT_CASE, Persona, Skill
from catalogue.search.facet_counts import catalogue_version, facet_count
from catalogue.search.ranking import ranking
from marketplace.api.exceptions import BadRequest
from marketplace.api.pagination import COMPILED, KeysetPage, RankedPage, Sort, by_ids, keyset
from marketplace.db.compiled_queries import BindParam, InlineConstant
from marketplace.http_cache.validators import Validator

ALIASES = {"query": "q", "search": "q"}
MAX_QUERY = 200
COUNTED = {"category", "author", "runtime", "free"}
DEFAULT_LIMIT, MAX_LIMIT = 20, 100
RANK = 128  # bytes that an entry takes in a ranking that is kept, about

# Of each process; 80 KiB each, about.
keysets = LRUCache(100)
lock = Lock()


class ListQuery:
    """A list request: `filters` and `sorts` say what a kind offers, the URL gives the values."""

    sorts = {
        "newest": Sort(F("created_at")),
        "updated": Sort(F("updated_at")),
        "name": Sort(TITLE_WITHOUT_CASE, descending=False),
    }
    filters = {
        "category": lambda entries, value: entries.filter(category=value),
        "author": lambda entries, value: entries.filter(author=value),
        "runtime": lambda entries, values: entries.filter(runtimes__contains=values),
    }
    # Filters of which each value makes another statement.
    literal = frozenset()
    entries = None
    by_id = None
    default_sort = None

    def __init__(self, query):
        self.query = self._single(query)
        self.tags = list(dict.fromkeys(query.get("tag", [])))
        self.values = self._values()
        self.words = self.query.get("q", "").strip()
        if len(self.words) > MAX_QUERY:
            raise BadRequest(f"q must be at most {MAX_QUERY} characters")
        self.limit = self._limit(self.query.get("limit", str(DEFAULT_LIMIT)))
        self.sort = self._sort(self.query.get("sort"))

    def page(self):
        options = {
            "limit": self.limit,
            "cursor": self.query.get("cursor"),
            "binding": self._binding(),
        }
        sort = self.sorts.get(self.sort)
        if not self.words:
            given = {**self.values, "counted": self._counted[1]}
            return KeysetPage(self._prepared, sort, given, **options)
        filters = {
            "facets": self.facets,
            "is_filtered": bool(self.values),
            "is_selective": bool(self.uncounted & {"bundledIn", "skill"}),
        }
        rank = partial(ranking, self._passing(self.values), self.words, **filters)
        ranks = Validator.of(catalogue_version)
        ranked = rank()
        if "minRating" in self.values:
            # Ratings move without an edit, those of whatever may be ranked.
            ranks = Validator(rank, ranked, weight=COMPILED + RANK * len(ranked))
        if self.sort == "relevance":
            page = RankedPage(self.by_id, ranked, **options)
        else:
            best = self.entries.filter(pk__in=[row_id for _, row_id in ranked])
            prepare = partial(keyset, best, sort, Value(len(ranked)))
            page = KeysetPage(prepare, sort, {}, **options)
        page.validator = Validator.of_all([ranks, page.validator])
        return page

    def _prepared(self, number, place):
        """The keyset of all lists that differ from this one in values alone, made once."""
        literals = [self.values.get(name) for name in sorted(self.literal)]
        shape = (type(self), *self.values, *literals, len(self.facets), self.sort, number, place)
        with lock:
            made = keysets.get(shape)
        if made is None:
            passing = self._passing(
                {
                    name: value if name in self.literal else BindParam(name)
                    for name, value in self.values.items()
                }
            )
            made = keyset(passing, self.sorts[self.sort], self._count(passing), number, place)
            with lock:
                keysets[shape] = made
        return made

    def _passing(self, values):
        """The entries that pass the filters, with these values for what the request names."""
        entries = self.entries
        for name, narrow in self.filters.items():
            if name in values:
                entries = narrow(entries, values[name])
        return entries.filter(tags__contains=values["tag"]) if "tag" in values else entries

    def _values(self):
        """What each filter of the request compares with; a row has several tags and runtimes."""
        values = {name: self.query[name] for name in self.filters if name in self.query}
        if "runtime" in values:
            values["runtime"] = [values["runtime"]]
        return values | ({"tag": self.tags} if self.tags else {})

    @property
    def facets(self):
        """The filters of which the tally knows how many entries pass, as (facet, value)."""
        given = [(name, self.query[name]) for name in COUNTED if name in self.query]
        return given + [("tag", tag) for tag in self.tags]

    @property
    def uncounted(self):
        return {name for name in self.filters if name in self.query} - COUNTED

    def _count(self, passing):
        """An expression for how many entries pass: from the tally where that knows it."""
        if self.uncounted or len(self.facets) > 1:
            numbers = passing.order_by().values(every=Value(1)).annotate(number=Count("pk"))
            return Coalesce(Subquery(numbers.values("number")), 0)
        facet, _ = self._counted
        return facet_count(passing.model, facet, BindParam("counted"))

    @property
    def _counted(self):
        return (self.facets or [("all", "")])[0]

    def _single(self, query):
        """Each parameter once, aliases resolved; anything unknown is refused by name."""
        allowed = {"q", "tag", "sort", "limit", "cursor", *ALIASES, *self.filters}
        single = {}
        for name, values in query.items():
            if name not in allowed:
                raise BadRequest(
                    f"Unknown query parameter '{name}'. Allowed: {', '.join(sorted(allowed))}"
                )
            meant = ALIASES.get(name, name)
            if meant != "tag" and (len(values) > 1 or meant in single):
                raise BadRequest(f"{meant} must be given at most once")
            single[meant] = values[0]
        return single

    def _limit(self, text):
        if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= MAX_LIMIT:
            raise BadRequest(f"limit must be a whole number from 1 to {MAX_LIMIT}")
        return int(text)

    def _sort(self, name):
        if name is None:
            return "relevance" if self.words else self.default_sort
        if name not in self.sorts and name != "relevance":
            raise BadRequest(f"sort must be one of {', '.join(['relevance', *self.sorts])}")
        if name == "relevance" and not self.words:
            raise BadRequest("sort=relevance needs a q to be relevant to")
        return name

    def _binding(self):
        """All that a cursor depends on: the kind, the sort and the filters, but not the limit."""
        kept = {k: v for k, v in self.query.items() if k not in {"cursor", "limit", "sort", "tag"}}
        return repr((type(self).__name__, self.sort, sorted(kept.items()), sorted(self.tags)))


class SkillListQuery(ListQuery):
    entries = Skill.objects.published().with_row_version().listed()
    by_id = by_ids(entries)
    sorts = {"downloads": Sort(F("downloads")), **ListQuery.sorts}
    filters = {
        **ListQuery.filters,
        "bundledIn": lambda skills, slug: skills.filter(
            personas__slug=slug, personas__status=InlineConstant("published")
        ),
    }
    default_sort = "downloads"


def _free(personas, value):
    if value not in {"true", "false"}:
        raise BadRequest("free must be true or false")
    return personas.filter(**({"price_cents": 0} if value == "true" else {"price_cents__gt": 0}))


def _min_rating(personas, value):
    if not re.fullmatch(r"[0-9](\.[0-9]{1,6})?", value) or not 1 <= Decimal(value) <= 5:
        raise BadRequest("minRating must be a number from 1 to 5")
    # The first is what the index holds, the second what PostgreSQL has statistics of.
    return personas.filter(
        GreaterThanOrEqual(RATING_OR_ZERO, Decimal(value)), rating_avg__gte=Decimal(value)
    )


class PersonaListQuery(ListQuery):
    entries = Persona.objects.published().with_row_version().with_skill_slugs().listed()
    by_id = by_ids(entries)
    literal = frozenset({"free", "minRating"})
    sorts = {
        "installs": Sort(F("installs")),
        "rating": Sort(RATING_OR_ZERO),
        "price": Sort(F("price_cents"), descending=False),
        **ListQuery.sorts,
    }
    filters = {
        **ListQuery.filters,
        "free": _free,
        "minRating": _min_rating,
        "skill": lambda personas, slug: personas.filter(
            skills__slug=slug, skills__status=InlineConstant("published")
        ),
    }
    default_sort = "installs"
