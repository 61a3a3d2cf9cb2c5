"""The query strings of the two lists (contract 8.1), and of the facets (contract 21.1)."""

import re
from dataclasses import replace
from decimal import Decimal
from functools import partial

from django.db.models import F, Q
from django.db.models.lookups import GreaterThanOrEqual

from catalogue.list_queries import KIND_FILTER, one_of
from catalogue.models import (
    FREE,
    PUBLISHED_STATUS,
    RATING_OR_ZERO,
    TITLE_WITHOUT_CASE,
    in_nfc,
    labeled,
    spelled,
)
from catalogue.serializers.fields import EntrySlugField
from marketplace.api.exceptions import BadRequest
from marketplace.api.fields import BooleanField, ListField, RatingField, TextField
from marketplace.api.list_queries import GIVEN_TWICE, Filter, ListQuery, Sort

MAX_QUERY = 200
TOO_LONG = f"q must be at most {MAX_QUERY} characters"
NOT_RELEVANT = "sort=relevance needs a q to be relevant to"
ALL = "all", ""  # the facet of all entries


def parse_min_rating(text):
    if not re.fullmatch(r"[0-9](\.[0-9]{1,6})?", text) or not 1 <= Decimal(text) <= 5:
        raise ValueError(text)
    return Decimal(text)


class FacetQuery(ListQuery):
    """The kind of entry whose facets are requested."""

    filters = {"kind": replace(KIND_FILTER, description="The kind of entry.")}
    required = ["kind"]

    @classmethod
    def allowed(cls):
        return set(cls.filters)


class CatalogueQuery(ListQuery):
    """A list of entries, with a search, `q`, and facets with stored counts.

    `bound` has the value whose stored count a list with at most one facet uses.
    """

    aliases = {"query": "q", "search": "q"}
    filters = {
        "category": Filter(
            partial(spelled, "category"),
            "Only entries in this category.",
            parse=in_nfc,
            is_facet=True,
        ),
        "tag": Filter(
            partial(labeled, "tags"),
            "Only entries with this tag. Repeat it to require several tags.",
            field=ListField(TextField()),
            parse=lambda texts: sorted(set(map(in_nfc, texts))),
            is_repeatable=True,
            is_facet=True,
        ),
        "runtime": Filter(
            partial(labeled, "runtimes"),
            "Only entries for this runtime, such as `python`.",
            parse=lambda text: [in_nfc(text)],
            is_facet=True,
        ),
        "author": Filter(
            partial(spelled, "author"),
            "Only entries by this author.",
            parse=in_nfc,
            is_facet=True,
        ),
        "license": Filter(
            partial(spelled, "license"),
            "Only entries under this license, such as `MIT`.",
            parse=in_nfc,
            is_facet=True,
        ),
    }
    sorts = {
        "newest": Sort(F("created_at"), "Newest"),
        "updated": Sort(F("updated_at"), "Last updated"),
        "name": Sort(TITLE_WITHOUT_CASE, "Name", descending=False),
    }

    def clean(self):
        super().clean()
        if len(self.words) > MAX_QUERY:
            raise BadRequest(TOO_LONG)
        _, self.bound["counted"] = (self.facets or [ALL])[0]

    @classmethod
    def allowed(cls):
        return {"q", *super().allowed()}

    @classmethod
    def refusals(cls):
        yield from (*super().refusals(), GIVEN_TWICE.format(name="q"), TOO_LONG, NOT_RELEVANT)

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
            (name, item)
            for name, value in self.values.items()
            if self.filters[name].is_facet
            for item in (value if isinstance(value, list) else [value])
        ]

    @property
    def counted_facet(self):
        """The facet with the stored count; None if other filters narrow the list."""
        if len(self.facets) > 1 or not all(self.filters[name].is_facet for name in self.values):
            return None
        return (self.facets or [ALL])[0][0]

    @property
    def shape(self):
        return *super().shape, len(self.facets)

    @property
    def is_selective(self):
        return any(self.filters[name].is_selective for name in self.values)

    @property
    def is_versioned(self):
        return all(self.filters[name].is_versioned for name in self.values)

    def _sort(self, name):
        if name is None and self.words:
            return "relevance"
        if name == "relevance" and not self.words:
            raise BadRequest(NOT_RELEVANT)
        return super()._sort(name)


class SkillQuery(CatalogueQuery):
    cursor_name = "SkillFilterSet"
    filters = {
        **CatalogueQuery.filters,
        "bundledIn": Filter(
            lambda slug: Q(personas__slug=slug, personas__status=PUBLISHED_STATUS),
            "Only skills that the persona with this slug bundles.",
            field=EntrySlugField(),
            is_selective=True,
        ),
    }
    sorts = {"downloads": Sort(F("downloads"), "Most installed"), **CatalogueQuery.sorts}
    default_sort = "downloads"


class PersonaQuery(CatalogueQuery):
    cursor_name = "PersonaFilterSet"
    filters = {
        **CatalogueQuery.filters,
        "free": Filter(
            lambda value: Q(price_cents=FREE) if value == "true" else Q(price_cents__gt=FREE),
            "`true` for free personas only, `false` for priced ones only.",
            field=BooleanField(),
            error="free must be true or false",
            parse=partial(one_of, ["true", "false"]),
            is_facet=True,
            is_inlined=True,
        ),
        "minRating": Filter(
            # The same condition twice: on what the index holds, and on what has statistics.
            lambda value: Q(GreaterThanOrEqual(RATING_OR_ZERO, value), rating_avg__gte=value),
            "Only personas with at least this average rating.",
            field=RatingField(),
            error="minRating must be a number from 1 to 5",
            parse=parse_min_rating,
            is_versioned=False,
        ),
        "skill": Filter(
            lambda slug: Q(skills__slug=slug, skills__status=PUBLISHED_STATUS),
            "Only personas that bundle the skill with this slug.",
            field=EntrySlugField(),
            is_selective=True,
        ),
    }
    sorts = {
        "installs": Sort(F("installs"), "Most installed"),
        "rating": Sort(RATING_OR_ZERO, "Best rated"),
        "price": Sort(F("price_cents"), "Cheapest", descending=False),
        **CatalogueQuery.sorts,
    }
    default_sort = "installs"
