"""Filters of the lists of entries, each by an index, at any size of the catalogue."""

from django.contrib import admin
from django.db import connection
from django.db.models import Q

from catalogue.frontmatter import RECOMMENDED_TOKENS
from catalogue.models import FREE, IS_PUBLISHED, PUBLISHED, labeled, spelled
from catalogue.sql import ALL_CATEGORIES, CATEGORIES
from marketplace.adminsite import theme
from marketplace.adminsite.filters import ChoiceFilter

NEWEST = 10_000  # entries

NEEDS_WORK = Q(description="") | Q(license="") | Q(context_tokens__gt=RECOMMENDED_TOKENS)


def published_and_others(entries, condition):
    """The entries that meet a condition, by the indexes over each half of the table."""
    return entries.filter(PUBLISHED & condition | ~PUBLISHED & condition)


class CategoryFilter(admin.SimpleListFilter):
    title = parameter_name = "category"

    def lookups(self, request, model_admin):
        table = model_admin.opts.db_table
        published, others = (
            CATEGORIES.format(table=table, half=half)
            for half in (IS_PUBLISHED, f"NOT {IS_PUBLISHED}")
        )
        with connection.cursor() as cursor:
            cursor.execute(ALL_CATEGORIES.format(published=published, others=others))
            return [(category, category) for (category,) in cursor.fetchall()]

    def queryset(self, request, queryset):
        if self.value():
            return published_and_others(queryset, spelled("category", self.value()))
        return queryset


class TagFilter(theme.TextFilter):
    title = parameter_name = "tag"

    def queryset(self, request, queryset):
        if self.value():
            return published_and_others(queryset, labeled("tags", [self.value().strip()]))
        return queryset


class AuthorFilter(theme.TextFilter):
    title = parameter_name = "author"

    def queryset(self, request, queryset):
        if self.value():
            return published_and_others(queryset, spelled("author", self.value().strip()))
        return queryset


def among_newest(entries):
    """Only the newest entries: an index of where entries came from would slow every install."""
    ids = entries.model.objects.order_by("-pk").values_list("pk", flat=True)
    return entries.filter(pk__gte=ids[NEWEST - 1 : NEWEST].first() or 0)


class NeedsWorkFilter(ChoiceFilter):
    title = f"needs work (newest {NEWEST:,})"
    parameter_name = "needs"
    options = {
        "any": ("any of these", lambda rows: among_newest(rows).filter(NEEDS_WORK)),
        "description": ("no description", lambda rows: among_newest(rows).filter(description="")),
        "license": ("no license", lambda rows: among_newest(rows).filter(license="")),
        "shorter": (
            f"more than {RECOMMENDED_TOKENS:,} tokens",
            lambda rows: among_newest(rows).filter(context_tokens__gt=RECOMMENDED_TOKENS),
        ),
    }


class PriceFilter(ChoiceFilter):
    title = parameter_name = "price"
    options = {
        "free": ("free", lambda rows: published_and_others(rows, Q(price_cents=FREE))),
        "priced": (
            "with a price",
            lambda rows: published_and_others(rows, Q(price_cents__gt=FREE)),
        ),
    }
