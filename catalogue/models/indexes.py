"""The indexes of skills and of personas."""

from django.contrib.postgres.indexes import GinIndex, HashIndex
from django.db import models
from django.db.models import F, Q

from catalogue.models.entries import TITLE_AND_SLUG_WORDS, TITLE_WITHOUT_CASE
from catalogue.models.status import PUBLISHED


def entry_indexes(kind, popularity):
    """Indexes for the filters and sorts of one kind.

    Every install writes every index over published rows, because `popularity` is in some of them.
    Indexes over unpublished rows are for staff and add nothing to the cost of an install.
    """

    def index(*columns, name):
        return models.Index(*columns, name=f"{kind}_{name}", condition=PUBLISHED)

    by_popularity = [F(popularity).desc(), F("id").desc()]

    def unpublished(column):
        return models.Index(
            F(column), F("id").desc(), name=f"{kind}_off_{column}", condition=~PUBLISHED
        )

    return [
        index(F("created_at").desc(), F("id").desc(), name="newest"),
        index(F("updated_at").desc(), F("id").desc(), name="updated"),
        index(TITLE_WITHOUT_CASE, F("id") * -1, name="name"),
        index(*by_popularity, name=popularity),
        index(F("category"), *by_popularity, name="category"),
        index(F("author"), *by_popularity, name="author"),
        index(F("license"), *by_popularity, name="license"),
        GinIndex(fields=["tags", "runtimes"], name=f"{kind}_labels", condition=PUBLISHED),
        models.Index(
            F("successor"), name=f"{kind}_successor", condition=Q(successor__isnull=False)
        ),
        HashIndex(fields=["source"], name=f"{kind}_source", condition=~Q(source="")),
        *(unpublished(column) for column in ("status", "category", "author")),
        GinIndex(TITLE_AND_SLUG_WORDS, name=f"{kind}_off_names", condition=~PUBLISHED),
        GinIndex(fields=["tags"], name=f"{kind}_off_tags", condition=~PUBLISHED),
    ]
