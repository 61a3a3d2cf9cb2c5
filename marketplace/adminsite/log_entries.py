"""The changes by staff: who changed what."""

from datetime import timedelta

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.template.defaultfilters import timesince, truncatechars
from django.utils import timezone
from django.utils.html import format_html

from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin

NEWEST = 10_000  # entries that a search reads


class LogEntryAdmin(ReadOnlyModelAdmin):
    """Changes by staff, of the rows that a person may open."""

    menu = MenuItem("Staff", 42, "history")
    list_display = ["action_time", "user", "row", "kind", "change"]
    fields = ["action_time", "user", "row", "kind", "change"]
    list_display_links = None
    list_select_related = ["user", "content_type"]
    list_filter = ["action_time"]
    ordering = ["-id"]
    search_fields = ["object_repr"]  # see `find`
    search_help_text = "A part of a name, or a user name"

    def has_module_permission(self, request):
        return self.has_view_permission(request)

    def has_view_permission(self, request, obj=None):
        return bool(self.viewable_models(request))

    def viewable_models(self, request):
        """The models whose rows this person may open."""
        return [
            model
            for model, model_admin in self.admin_site._registry.items()
            if model is not LogEntry and model_admin.has_view_permission(request)
        ]

    def get_queryset(self, request):
        types = ContentType.objects.get_for_models(*self.viewable_models(request)).values()
        return super().get_queryset(request).filter(content_type__in=types)

    def history_view(self, request, object_id, extra_context=None):
        if not self.has_view_permission(request):
            raise PermissionDenied  # Django would first look for the row, and respond with a 404.
        return super().history_view(request, object_id, extra_context)

    def find(self, queryset, term):
        newest = LogEntry.objects.order_by("-pk").values_list("pk", flat=True)
        oldest = newest[NEWEST - 1 : NEWEST].first() or 0
        names = Q(object_repr__icontains=term) | Q(user__username=term)
        return queryset.filter(names, pk__gte=oldest)

    @admin.display(description="row")
    def row(self, entry):
        address = None if entry.is_deletion() else entry.get_admin_url()
        text = truncatechars(entry.object_repr, 60)
        return format_html('<a href="{}">{}</a>', address, text) if address else text

    def kind(self, entry):
        return entry.content_type.name

    def change(self, entry):
        return truncatechars(entry.get_change_message(), 200)

    def rankings(self, request):
        week = timezone.now() - timedelta(days=7)
        entries = self.get_queryset(request).filter(action_time__gte=week)
        entries = entries.select_related("user", "content_type")
        return [
            {
                "title": "Changed by staff this week",
                "rows": [
                    (
                        f"{entry.object_repr}: {truncatechars(entry.get_change_message(), 80)}",
                        f"{entry.user}, {timesince(entry.action_time)} ago",
                        "" if entry.is_deletion() else entry.get_admin_url(),
                    )
                    for entry in entries[:8]
                ],
                "all": self.url_of("changelist"),
            }
        ]
