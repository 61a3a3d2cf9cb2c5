"""The query strings of the two lists (contract 6), and of the facets (lifecycle 19)."""

import re
from dataclasses import replace
from decimal import Decimal
from functools import partial

from django.db.models import F, IntegerField, Q
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThanOrEqual

from catalogue.models import FREE, RATING_OR_ZERO, TITLE_WITHOUT_CASE, Persona, Skill, Status
from catalogue.search.facet_counts import facet_count, version_validator
from catalogue.search.ranking import MAX_RESULTS, CompiledRanking
from catalogue.search.zero_results import count_zero_results
from catalogue.serializers import KIND_SCHEMA, SLUG_SCHEMA
from marketplace.api.exceptions import BadRequest
from marketplace.api.filtersets import Filter, FilterSet
from marketplace.api.keysets import (
    RankedRows,
    Sort,
    SortedRows,
    among_ids,
    as_array,
    compile_by_ids,
    compile_page,
)
from marketplace.api.pagination import KeysetPagination
from marketplace.api.schemas import FLAG, RATING, TEXT
from marketplace.db.compiled_queries import BindParam, InlineConstant, compiled_once
from marketplace.http_cache.validators import Validator

MAX_QUERY = 200
MAX_PAGE = KeysetPagination.max_limit


def parse_free(text):
    if text not in {"true", "false"}:
        raise BadRequest("free must be true or false")
    return text


def parse_min_rating(text):
    if not re.fullmatch(r"[0-9](\.[0-9]{1,6})?", text) or not 1 <= Decimal(text) <= 5:
        raise BadRequest("minRating must be a number from 1 to 5")
    return Decimal(text)


def parse_kind(text):
    if text not in KIND_SCHEMA["enum"]:
        raise BadRequest(f"kind must be one of {', '.join(KIND_SCHEMA['enum'])}")
    return text


KIND = Filter(
    lambda value: Q(kind=value), "Only of this kind.", schema=KIND_SCHEMA, parse=parse_kind
)


class FacetFilterSet(FilterSet):
    """Of which kind of entry the facets are."""

    filters = {"kind": replace(KIND, description="Of which kind of entry.")}
    required = ["kind"]

    @classmethod
    def allowed(cls):
        return set(cls.filters)


class CatalogueFilterSet(FilterSet):
    """A list of entries, which has a search, `q`, and facets whose numbers are kept."""

    aliases = {"query": "q", "search": "q"}
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
        "license": Filter(
            lambda value: Q(license=value), "Only under this license, such as `MIT`.", is_facet=True
        ),
    }
    sorts = {
        "newest": Sort(F("created_at"), "Newest"),
        "updated": Sort(F("updated_at"), "Last updated"),
        "name": Sort(TITLE_WITHOUT_CASE, "Name", descending=False),
    }
    by_ids = None

    def __init__(self, query, *, address=None):
        """`address` is the client's; None if no client has asked, as for suggestions."""
        super().__init__(query)
        self.address = address
        if len(self.words) > MAX_QUERY:
            raise BadRequest(f"q must be at most {MAX_QUERY} characters")
        _, self.bound["counted"] = self.counted

    @classmethod
    def allowed(cls):
        return {"q", *super().allowed()}

    def rows(self):
        if not self.words:
            return super().rows()
        rank, rank_again = self.compiled(self.compile_ranking, "ranking")
        # The first page by relevance is cut from the best of a ranking, all others from the whole.
        is_whole = "cursor" in self.params or self.sort != "relevance"
        options = {
            "text": self.words,
            "wanted": MAX_RESULTS if is_whole else MAX_PAGE + 1,
            "facets": self.facets,
            "is_selective": any(self.filters[name].is_selective for name in self.values),
            "bound": self.values,
        }
        best, count, version = rank(**options)
        # A filter that leaves nothing says nothing about the text.
        if self.address and not count and not self.values:
            count_zero_results(self.queryset.model.__name__.lower(), self.words, self.address)
        if all(self.filters[name].is_versioned for name in self.values):
            validator = version_validator(version)
        else:
            validator = Validator(partial(rank_again, **options), (best, count))
        if self.sort == "relevance":
            return RankedRows(self.by_ids, best, count, validators=[validator])
        params = {"ids": as_array(row_id for _, row_id in best), "found": count}
        sort = self.sorts[self.sort]
        return SortedRows(self.compiled_page_of_found, sort, params, validators=[validator])

    def compile_ranking(self, passing):
        ranking = CompiledRanking(passing, is_filtered=bool(self.values))
        return ranking, ranking.results

    def compiled_page_of_found(self, number, place):
        """The `compile_page` of all searches in this order, to which their results are bound."""
        sort, found = self.sorts[self.sort], Cast(BindParam("found"), IntegerField())
        return compiled_once(
            (type(self), "found", self.sort, number, place),
            lambda: compile_page(among_ids(self.queryset), sort, found, number, place),
        )

    @property
    def words(self):
        return self.params.get("q", "").strip()

    @property
    def binding(self):
        return repr((self.words, super().binding))

    @classmethod
    def sort_names(cls):
        return ["relevance", *super().sort_names()]

    @property
    def sort_choices(self):
        relevance = [("relevance", "Best match")] if self.words else []
        return relevance + super().sort_choices

    @property
    def facets(self):
        """The facets that the request filters by, as `(facet, value)`."""
        return [
            (name, each)
            for name, value in self.values.items()
            if self.filters[name].is_facet
            for each in (value if isinstance(value, list) else [value])
        ]

    @property
    def counted(self):
        return (self.facets or [("all", "")])[0]

    @property
    def shape(self):
        return len(self.facets)

    def count(self, passing):
        """One facet has a kept number; the rest is counted."""
        only_facets = all(self.filters[name].is_facet for name in self.values)
        if only_facets and len(self.facets) <= 1:
            facet, _ = self.counted
            return facet_count(passing.model, facet, BindParam("counted"))
        return super().count(passing)

    def _sort(self, name):
        if name is None and self.words:
            return "relevance"
        if name == "relevance" and not self.words:
            raise BadRequest("sort=relevance needs a q to be relevant to")
        return super()._sort(name)


class SkillFilterSet(CatalogueFilterSet):
    queryset = Skill.objects.published().with_row_version().for_list()
    by_ids = compile_by_ids(queryset)
    filters = {
        **CatalogueFilterSet.filters,
        "bundledIn": Filter(
            lambda slug: Q(personas__slug=slug, personas__status=InlineConstant(Status.PUBLISHED)),
            "Only skills that come with the persona of this slug.",
            schema=SLUG_SCHEMA,
            is_selective=True,
        ),
    }
    sorts = {"downloads": Sort(F("downloads"), "Most installed"), **CatalogueFilterSet.sorts}
    default_sort = "downloads"


class PersonaFilterSet(CatalogueFilterSet):
    queryset = Persona.objects.published().with_row_version().with_skill_slugs().for_list()
    by_ids = compile_by_ids(queryset)
    filters = {
        **CatalogueFilterSet.filters,
        "free": Filter(
            lambda value: Q(price_cents=FREE) if value == "true" else Q(price_cents__gt=FREE),
            "`true`: only free ones, `false`: only priced ones.",
            schema=FLAG,
            parse=parse_free,
            is_facet=True,
            is_inlined=True,
        ),
        "minRating": Filter(
            # The first is what the index holds, the second what PostgreSQL has statistics of.
            lambda value: Q(GreaterThanOrEqual(RATING_OR_ZERO, value), rating_avg__gte=value),
            "Only with this average rating or better.",
            schema=RATING,
            parse=parse_min_rating,
            is_versioned=False,
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
        **CatalogueFilterSet.sorts,
    }
    default_sort = "installs"
