"""The query strings of the lists of reviews (contract 14)."""

import re

from django.db.models import F, Q

from infrastructure.db.compiled_queries import InlineConstant
from marketplace.api.fields import WholeNumberField
from marketplace.api.list_queries import Filter, ListQuery, Sort

NEWEST = Sort(F("created_at"), "Newest")


def parse_rating(text):
    if not re.fullmatch("[1-5]", text):
        raise ValueError(text)
    return int(text)


class OwnReviewQuery(ListQuery):
    """For the reviews of the bound `agent`, or of the one with the bound `handle`."""

    cursor_name = "OwnReviewFilterSet"
    sorts = {"newest": NEWEST}
    default_sort = "newest"


class PersonaReviewQuery(ListQuery):
    """For the reviews of the persona with the bound `slug`.

    Ties go to the newer row. A review that is deleted and written again keeps its row, and so its
    place.
    """

    cursor_name = "PersonaReviewFilterSet"
    filters = {
        "rating": Filter(
            # At the nearest whole, halves up, as ratings are counted. PostgreSQL has to know the
            # values to choose the right index.
            lambda value: Q(
                counted_rating__gte=InlineConstant(f"{value - 0.5}"),
                counted_rating__lt=InlineConstant(f"{value + 0.5}"),
            ),
            "Only reviews with this rating. Fractions round to the nearest whole number, halves "
            "up.",
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
