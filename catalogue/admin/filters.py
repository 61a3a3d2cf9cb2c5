"""Filters of the lists of entries, each by an index, at any size of the catalogue."""

from django.contrib import admin
from django.db import connection
from django.db.models import Exists, OuterRef, Q

from catalogue.findings import CODES, STRICT
from catalogue.models import FREE, IS_PUBLISHED, PUBLISHED, Persona, Status, labeled, spelled
from catalogue.models.inspected import HAS_STRICT_FINDINGS
from catalogue.sql import ALL_CATEGORIES, CATEGORIES
from marketplace.adminsite import theme
from marketplace.adminsite.filters import ChoiceFilter

NEWEST = 10_000  # entries


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


def with_finding(code):
    """The label and the condition of a code. The index has what `--strict` refuses."""
    if code in STRICT:
        return code, lambda rows: rows.filter(HAS_STRICT_FINDINGS, findings__contains=[code])
    label = f"{code} (newest {NEWEST:,})"
    return label, lambda rows: among_newest(rows).filter(findings__contains=[code])


def bundling_unpublished(personas):
    bundled = Persona.skills.through.objects.filter(persona=OuterRef("pk"))
    return among_newest(personas).filter(Exists(bundled.exclude(skill__status=Status.PUBLISHED)))


class NeedsWorkFilter(ChoiceFilter):
    title, parameter_name = "needs work", "needs"
    options = {
        "any": (
            f"any finding (newest {NEWEST:,})",
            lambda rows: among_newest(rows).filter(findings__gt=[]),
        ),
        **{code: with_finding(code) for code in CODES},
    }


class PersonaNeedsWorkFilter(NeedsWorkFilter):
    options = {
        **NeedsWorkFilter.options,
        "unknown-skill": (f"unknown-skill (newest {NEWEST:,})", bundling_unpublished),
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
