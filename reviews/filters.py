"""The query strings of the lists of reviews (lifecycle 12)."""

import re
from functools import partial

from django.db.models import F, Q

from catalogue.exceptions import PersonaNotFound
from catalogue.models import Persona, is_slug
from marketplace.api.fields import WholeNumberField
from marketplace.api.filtersets import Filter, FilterSet
from marketplace.api.keysets import Sort
from marketplace.db.compiled_queries import BindParam, CompiledQuery, InlineConstant
from marketplace.http_cache.validators import Validator
from reviews.models import Review

NEWEST = Sort(F("created_at"), "Newest")


def parse_rating(text):
    if not re.fullmatch("[1-5]", text):
        raise ValueError(text)
    return int(text)


class OwnReviewFilterSet(FilterSet):
    """What the `agent` that is bound has written: hidden ones too, because it is not told."""

    queryset = Review.objects.present().filter(agent=BindParam("agent")).for_list()
    sorts = {"newest": NEWEST}
    default_sort = "newest"


class PersonaReviewFilterSet(FilterSet):
    """What everyone may read of the persona whose `slug` is bound.

    Of the same rating, what was first written last comes first: a review that is deleted and
    written anew keeps its row, and so its place.
    """

    queryset = Review.objects.shown().filter(persona=BindParam("persona")).for_list()
    filters = {
        "rating": Filter(
            # At the nearest whole, halves up, as ratings are counted. PostgreSQL has to know the
            # values to choose the right index.
            lambda value: Q(
                counted_rating__gte=InlineConstant(f"{value - 0.5}"),
                counted_rating__lt=InlineConstant(f"{value + 0.5}"),
            ),
            "Only with this rating; fractions count at the nearest whole, halves up.",
            field=WholeNumberField(min_value=1, max_value=5),
            error="rating must be a whole number from 1 to 5",
            parse=parse_rating,
            is_inlined=True,
        )
    }
    sorts = {
        "newest": NEWEST,
        "highest": Sort(F("counted_rating"), "Highest rated"),
        "lowest": Sort(F("counted_rating"), "Lowest rated", descending=False),
    }
    default_sort = "newest"
    # The id of the persona, if it is published.
    published = CompiledQuery(
        Persona.objects.published().filter(slug=BindParam("slug")).order_by().values_list("pk")
    )

    def rows(self):
        """Raises PersonaNotFound."""
        slug = self.bound["slug"]
        check = partial(self.published.first, slug=slug)
        published = Validator.of(check) if is_slug(slug) else None
        if published is None:
            raise PersonaNotFound
        (self.bound["persona"],) = published.seen
        # An empty page has no row that would tell that the persona is published no more.
        self.validators = [published]
        return super().rows()

    def count(self, passing):
        """Without a filter the persona's own, which is kept."""
        return super().count(passing) if self.values else F("persona__rating_count")
