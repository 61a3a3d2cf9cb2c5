"""The import runs, as a list of what was uploaded and what became of it."""

from datetime import timedelta

from django.apps import apps
from django.contrib import admin
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from importing.models import IS_ACTIVE, RESULTS, ImportRun
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin


@admin.register(ImportRun)
class ImportRunAdmin(ReadOnlyModelAdmin):
    menu = MenuItem("Catalogue", 12, "upload")
    list_display = ["name", "kind", "user", "created_at", "outcome"]
    search_fields = ["name"]  # see `find`
    search_help_text = "Start of a file's name"
    list_select_related = ["user"]
    list_filter = ["kind"]
    fields = readonly_fields = [
        *("name", "kind", "user", "outcome", "created_at", "finished_at", "draft"),
        *("created", "updated", "unchanged", "refused", "imported_entries", "refused_files"),
    ]

    def get_queryset(self, request):
        runs = super().get_queryset(request).defer("data")
        return runs.annotate(has_data=Q(data__isnull=False), is_active=IS_ACTIVE)

    def find(self, queryset, term):
        return queryset.filter(name__istartswith=term)

    def attention(self):
        week = timezone.now() - timedelta(days=7)
        runs = ImportRun.objects.filter(refused__gt=0, created_at__gte=week)
        return [("imports with refused files this week", runs, "")]

    def outcome(self, run):
        if run.finished_at:
            return ", ".join(f"{getattr(run, result)} {result}" for result in RESULTS)
        if run.is_active:
            return "importing now"
        if not run.has_data:
            return "interrupted"
        state = "interrupted: confirm again" if run.confirmed_at else "previewed, not imported"
        preview = reverse(f"admin:catalogue_{run.kind}_import_run", args=[run.pk])
        return format_html('<a href="{}">{}</a>', preview, state)

    def imported_entries(self, run):
        return entry_links(run, run.entries) or "none"

    def refused_files(self, run):
        return "\n".join(f"{path}: {reason}" for path, reason in run.refusals) or "none"


def entry_links(run, entries):
    """Links to entries of a run, with what it did to each and the state that each has now."""
    model = apps.get_model("catalogue", run.kind)
    rows = model.objects.only("status", "withdrawal_reason", "number").in_bulk(
        [pk for pk, _, _ in entries]
    )
    pages = f"admin:catalogue_{run.kind}_change"
    return format_html_join(
        ", ",
        '<a class="underline" href="{}">{}</a> ({}{})',
        (
            (reverse(pages, args=[pk]), slug, result, state_in_words(rows.get(pk)))
            for pk, slug, result in entries
        ),
    )


def state_in_words(entry):
    if entry is None:
        return ", deleted since"
    return f", version {entry.number}" if entry.is_published else f", {entry.state}"
