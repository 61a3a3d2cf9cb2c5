"""Columns that a trigger sets from an entry's text (schema/versions.sql).

Django's GeneratedField would do for two of them. But PostgreSQL computes generated columns at each
update of a table with such a trigger, and each install updates a counter.
"""

from django.db import models

from marketplace.models import MigratedAsDjangos


class OfText(MigratedAsDjangos):
    db_returning = True  # to the object that an insert creates


class DigestOfText(OfText, models.CharField):
    pass


class TokensOfText(OfText, models.IntegerField):
    pass


class NumberOfText(OfText, models.PositiveIntegerField):
    pass
