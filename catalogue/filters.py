"""The query strings of the two list endpoints (contract 6)."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from threading import Lock

from cachetools import LRUCache
from django.db.models import Count, F, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThanOrEqual

from catalogue.models import RATING_OR_ZERO, TITLE_WITHOUT_CASE, Persona, Skill, Status
from catalogue.search.facet_counts import catalogue_version, facet_count
from catalogue.search.ranking import ranking
from catalogue.serializers import SLUG_SCHEMA
from marketplace.api.exceptions import BadRequest
from marketplace.api.keysets import (
    COMPILED_BYTES,
    RankedRows,
    Sort,
    SortedRows,
    compile_by_ids,
    compile_page,
)
from marketplace.api.schemas import FLAG, RATING, TEXT
from marketplace.db.compiled_queries import BindParam, InlineConstant
from marketplace.http_cache.validators import Validator

ALIASES = {"query": "q", "search": "q"}
MAX_QUERY = 200
RANK_BYTES = 128  # bytes of an entry in a ranking, about

# Of this process; 80 KiB each, about.
compiled_pages = LRUCache(100)
lock = Lock()


@dataclass(frozen=True)
class Filter:
    """A query parameter that narrows a list, declared once for the API, OpenAPI and the website.

    `condition` makes the Q of a value, or of the BindParam that stands for it.
    """

    condition: Callable
    description: str
    schema: dict = field(default_factory=TEXT.copy)
    parse: Callable = str  # of the parameter's text, or of the list of texts if it is repeatable
    is_repeatable: bool = False
    is_facet: bool = False  # its values are counted in FacetCount
    is_inlined: bool = False  # each value has an SQL of its own
    is_selective: bool = False  # leaves few entries, whatever the value
    is_versioned: bool = True  # the catalogue version rises when other entries pass
    is_chip: bool = True  # a page of the website shows it as a chip that removes it


def parse_free(text):
    if text not in {"true", "false"}:
        raise BadRequest("free must be true or false")
    return text


def parse_min_rating(text):
    if not re.fullmatch(r"[0-9](\.[0-9]{1,6})?", text) or not 1 <= Decimal(text) <= 5:
        raise BadRequest("minRating must be a number from 1 to 5")
    return Decimal(text)


class FilterSet:
    """The parameters of a list: which entries, in which order. A filter set is what is paginated.

    Unknown and repeated parameters are refused.
    """

    filters = {
        "category": Filter(
            lambda value: Q(category=value), "Only of this category.", is_facet=True
        ),
        "tag": Filter(
            lambda values: Q(tags__contains=values),
            "Only with this tag. Repeat it for several, all of which an entry must have.",
            schema={"type": "array", "items": TEXT},
            parse=lambda texts: sorted(set(texts)),
            is_repeatable=True,
            is_facet=True,
        ),
        "runtime": Filter(
            lambda values: Q(runtimes__contains=values),
            "Only for this runtime, such as `python`.",
            parse=lambda text: [text],
            is_facet=True,
        ),
        "author": Filter(lambda value: Q(author=value), "Only by this author.", is_facet=True),
    }
    sorts = {
        "newest": Sort(F("created_at"), "Newest"),
        "updated": Sort(F("updated_at"), "Last updated"),
        "name": Sort(TITLE_WITHOUT_CASE, "Name", descending=False),
    }
    default_sort = None
    entries = None
    by_ids = None

    def __init__(self, query):
        self.query = query
        self.params = self._params(query)
        self.words = self.params.get("q", "").strip()
        if len(self.words) > MAX_QUERY:
            raise BadRequest(f"q must be at most {MAX_QUERY} characters")
        self.sort = self._sort(self.params.get("sort"))
        self.values = {
            name: each.parse(query[name] if each.is_repeatable else self.params[name])
            for name, each in self.filters.items()
            if name in self.params
        }

    def rows(self):
        if not self.words:
            _, counted = self._counted
            params = {**self.values, "counted": counted}
            return SortedRows(self._compiled_page, self.sorts[self.sort], params)
        rank = partial(
            ranking,
            self._filtered(self.values),
            self.words,
            facets=self._facets,
            is_filtered=bool(self.values),
            is_selective=any(self.filters[name].is_selective for name in self.values),
        )
        validator = Validator.of(catalogue_version)
        ranked = rank()
        if not all(self.filters[name].is_versioned for name in self.values):
            validator = Validator(rank, ranked, weight=COMPILED_BYTES + RANK_BYTES * len(ranked))
        if self.sort == "relevance":
            return RankedRows(self.by_ids, ranked, validators=[validator])
        best = self.entries.filter(pk__in=[row_id for _, row_id in ranked])
        sort = self.sorts[self.sort]
        compiled = partial(compile_page, best, sort, Value(len(ranked)))
        return SortedRows(compiled, sort, {}, validators=[validator])

    @property
    def binding(self):
        """All that a cursor depends on: the kind, the search, the sort and the filters."""
        return repr((type(self).__name__, self.words, self.sort, sorted(self.values.items())))

    @property
    def sort_choices(self):
        """The names and labels of the sorts, the default one first."""
        relevance = [("relevance", "Best match")] if self.words else []
        return relevance + [(name, sort.label) for name, sort in self.sorts.items()]

    def _compiled_page(self, number, place):
        """The `compile_page` of all lists that differ from this one in bound values alone."""
        inlined = [
            (name, value if self.filters[name].is_inlined else None)
            for name, value in self.values.items()
        ]
        object_schema = (type(self), *inlined, len(self._facets), self.sort, number, place)
        with lock:
            compiled = compiled_pages.get(object_schema)
        if compiled is None:
            passing = self._filtered(
                {
                    name: value if self.filters[name].is_inlined else BindParam(name)
                    for name, value in self.values.items()
                }
            )
            sort = self.sorts[self.sort]
            compiled = compile_page(passing, sort, self._count(passing), number, place)
            with lock:
                compiled_pages[object_schema] = compiled
        return compiled

    def _filtered(self, values):
        entries = self.entries
        for name, value in values.items():
            entries = entries.filter(self.filters[name].condition(value))
        return entries

    @property
    def _facets(self):
        """The facets that the request filters by, as `(facet, value)`."""
        return [
            (name, each)
            for name, value in self.values.items()
            if self.filters[name].is_facet
            for each in (value if isinstance(value, list) else [value])
        ]

    @property
    def _counted(self):
        return (self._facets or [("all", "")])[0]

    def _count(self, passing):
        """The number of entries as an expression: one facet has a count, the rest is counted."""
        only_facets = all(self.filters[name].is_facet for name in self.values)
        if only_facets and len(self._facets) <= 1:
            facet, _ = self._counted
            return facet_count(passing.model, facet, BindParam("counted"))
        numbers = passing.order_by().values(every=Value(1)).annotate(number=Count("pk"))
        return Coalesce(Subquery(numbers.values("number")), 0)

    def _params(self, query):
        """The first value of each parameter, aliases resolved."""
        allowed = {"q", "sort", "limit", "cursor", *ALIASES, *self.filters}
        params = {}
        for given, values in query.items():
            if given not in allowed:
                raise BadRequest(
                    f"Unknown query parameter '{given}'. Allowed: {', '.join(sorted(allowed))}"
                )
            name = ALIASES.get(given, given)
            is_repeatable = name in self.filters and self.filters[name].is_repeatable
            if name in params or (len(values) > 1 and not is_repeatable):
                raise BadRequest(f"{name} must be given at most once")
            params[name] = values[0]
        return params

    def _sort(self, name):
        if name is None:
            return "relevance" if self.words else self.default_sort
        if name not in self.sorts and name != "relevance":
            raise BadRequest(f"sort must be one of {', '.join(['relevance', *self.sorts])}")
        if name == "relevance" and not self.words:
            raise BadRequest("sort=relevance needs a q to be relevant to")
        return name


class SkillFilterSet(FilterSet):
    entries = Skill.objects.published().with_row_version().for_list()
    by_ids = compile_by_ids(entries)
    filters = {
        **FilterSet.filters,
        "bundledIn": Filter(
            lambda slug: Q(personas__slug=slug, personas__status=InlineConstant(Status.PUBLISHED)),
            "Only skills that come with the persona of this slug.",
            schema=SLUG_SCHEMA,
            is_selective=True,
        ),
    }
    sorts = {"downloads": Sort(F("downloads"), "Most installed"), **FilterSet.sorts}
    default_sort = "downloads"


class PersonaFilterSet(FilterSet):
    entries = Persona.objects.published().with_row_version().with_skill_slugs().for_list()
    by_ids = compile_by_ids(entries)
    filters = {
        **FilterSet.filters,
        "free": Filter(
            lambda value: Q(price_cents=0) if value == "true" else Q(price_cents__gt=0),
            "`true`: only free ones, `false`: only priced ones.",
            schema=FLAG,
            parse=parse_free,
            is_facet=True,
            is_inlined=True,
            is_chip=False,
        ),
        "minRating": Filter(
            # The first is what the index holds, the second what PostgreSQL has statistics of.
            lambda value: Q(GreaterThanOrEqual(RATING_OR_ZERO, value), rating_avg__gte=value),
            "Only with this average rating or better.",
            schema=RATING,
            parse=parse_min_rating,
            is_versioned=False,
            is_chip=False,
        ),
        "skill": Filter(
            lambda slug: Q(skills__slug=slug, skills__status=InlineConstant(Status.PUBLISHED)),
            "Only personas that bundle the skill of this slug.",
            schema=SLUG_SCHEMA,
            is_selective=True,
        ),
    }
    sorts = {
        "installs": Sort(F("installs"), "Most installed"),
        "rating": Sort(RATING_OR_ZERO, "Best rated"),
        "price": Sort(F("price_cents"), "Cheapest", descending=False),
        **FilterSet.sorts,
    }
    default_sort = "installs"
