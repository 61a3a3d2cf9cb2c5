"""The indexes of skills and of personas."""

from django.contrib.postgres.indexes import GinIndex, HashIndex
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from catalogue.models.entries import TITLE_AND_SLUG_WORDS, TITLE_WITHOUT_CASE
from catalogue.models.inspected import HAS_STRICT_FINDINGS
from catalogue.models.labels import keys_of
from catalogue.models.look_alikes import look_alike_keys
from catalogue.models.status import PUBLISHED, Status


def entry_indexes(kind, popularity):
    """Indexes for the filters and sorts of one kind.

    Every install writes every index over published rows, because `popularity` is in some of them.
    The others are for staff, or of few rows, and add nothing to the cost of an install.
    """
    return [*indexes_of_published(kind, popularity), *other_indexes(kind)]


def indexes_of_published(kind, popularity):
    def index(*columns, name):
        return models.Index(*columns, name=f"{kind}_{name}", condition=PUBLISHED)

    by_popularity = [F(popularity).desc(), F("id").desc()]

    return [
        index(F("created_at").desc(), F("id").desc(), name="newest"),
        index(F("updated_at").desc(), F("id").desc(), name="updated"),
        index(TITLE_WITHOUT_CASE, F("id") * -1, name="name"),
        index(*by_popularity, name=popularity),
        *(
            index(Lower(name), *by_popularity, name=f"{name}_key")
            for name in ("category", "author", "license")
        ),
        GinIndex(
            keys_of("tags"), keys_of("runtimes"), name=f"{kind}_label_keys", condition=PUBLISHED
        ),
        GinIndex(look_alike_keys("slug"), name=f"{kind}_look_alike", condition=PUBLISHED),
    ]


def other_indexes(kind):
    def unpublished(column, name):
        return models.Index(column, F("id").desc(), name=f"{kind}_off_{name}", condition=~PUBLISHED)

    return [
        # Few entries have such findings, so hardly any install writes it.
        GinIndex(fields=["findings"], name=f"{kind}_findings", condition=HAS_STRICT_FINDINGS),
        models.Index(
            F("successor"), name=f"{kind}_successor", condition=Q(successor__isnull=False)
        ),
        HashIndex(fields=["source"], name=f"{kind}_source", condition=~Q(source="")),
        HashIndex(
            fields=["former_source"],
            name=f"{kind}_former_source",
            condition=~Q(former_source=""),
        ),
        # For what changed this week.
        models.Index(
            F("withdrawn_at").desc(),
            name=f"{kind}_recalled",
            condition=Q(status=Status.WITHDRAWN) & ~Q(withdrawal_reason=""),
        ),
        models.Index(
            F("deprecated_at").desc(),
            name=f"{kind}_deprecated",
            condition=Q(deprecated_at__isnull=False),
        ),
        unpublished(F("status"), "status"),
        *(unpublished(Lower(name), f"{name}_key") for name in ("category", "author")),
        GinIndex(TITLE_AND_SLUG_WORDS, name=f"{kind}_off_names", condition=~PUBLISHED),
        GinIndex(keys_of("tags"), name=f"{kind}_off_tag_keys", condition=~PUBLISHED),
    ]
