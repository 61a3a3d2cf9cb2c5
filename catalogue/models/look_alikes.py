"""Slugs that people take for each other (contract 28.10)."""

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import Func

from catalogue.findings import Finding
from catalogue.models.status import IS_PUBLISHED
from catalogue.sql import LOOK_ALIKES


def look_alike_keys(slug):
    """The keys of a column; an index has those of each published entry."""
    output_field = ArrayField(models.TextField())
    return Func(slug, function="catalogue_look_alike_keys", output_field=output_field)


def look_alikes(model, slugs, besides=None):
    """`{slug: published slug}` of those that look like another one of the kind.

    `besides` is the key of an entry whose own slug does not count.
    """
    slugs = list(slugs)
    if not slugs:
        return {}
    sql = LOOK_ALIKES.format(table=model._meta.db_table, published=IS_PUBLISHED)
    with connection.cursor() as cursor:
        cursor.execute(sql, [slugs, 0 if besides is None else besides])
        return dict(cursor.fetchall())


def look_alike_finding(path, slug, published):
    return Finding("look-alike", path, None, f"{slug} is easily taken for {published}")
