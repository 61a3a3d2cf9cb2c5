"""The import runs, as a list of what was uploaded and what became of it."""

from datetime import timedelta

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
        pages = f"admin:catalogue_{run.kind}_change"
        links = format_html_join(
            ", ",
            '<a href="{}">{}</a> ({})',
            ((reverse(pages, args=[pk]), slug, result) for pk, slug, result in run.entries),
        )
        return links or "none"

    def refused_files(self, run):
        return "\n".join(f"{path}: {reason}" for path, reason in run.refusals) or "none"
