from http import HTTPStatus
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Q
from django.template.defaultfilters import truncatechars
from django.utils import timezone

from audit.models import AuditEvent
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin
from marketplace.adminsite.filters import ChoiceFilter
from marketplace.hidden_text import visible

SIGN_INS = ["log_in", "log_in_failed", "log_out", "end_sessions"]
READINGS = ["read_trail", "export"]


class ActionFilter(ChoiceFilter):
    title, parameter_name = "action", "actions"
    options = {
        "sign-ins": ("sign-ins", lambda events: events.filter(action__in=SIGN_INS)),
        "failed": ("failed sign-ins", lambda events: events.filter(action="log_in_failed")),
        "readings": ("exports and readings", lambda events: events.filter(action__in=READINGS)),
    }


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyModelAdmin):
    """The audit trail, for superusers. Opening it is an event, too (contract 33.6)."""

    menu = MenuItem("Staff", 43, "policy")
    list_display = ["time", "actor", "action", "object", "about", "address"]
    fields = ["time", "actor", "action", "object", "everything", "address", "request_id"]
    list_filter = ["actor_kind", ActionFilter, "at"]
    ordering = ["-id"]
    search_fields = ["actor_name"]  # see `find`
    search_help_text = "A whole name, action, address or request ID"

    def has_view_permission(self, request, obj=None):
        return request.user.is_superuser

    def has_module_permission(self, request):
        return self.has_view_permission(request)

    def changelist_view(self, request, extra_context=None):
        response = super().changelist_view(request, extra_context)
        return recorded(response, filters=request.GET.dict())

    def change_view(self, request, object_id, form_url="", extra_context=None):
        response = super().change_view(request, object_id, form_url, extra_context)
        return recorded(response, names=[object_id])

    def history_view(self, request, object_id, extra_context=None):
        response = super().history_view(request, object_id, extra_context)
        return recorded(response, names=[object_id])

    def find(self, queryset, term):
        texts = ["actor_name", "action", "object_name", "address", "request_id"]
        names = Q(details__contains={"names": [term]}) | Q(details__contains={"also": [term]})
        for name in texts:
            names |= Q(**{name: term})
        return queryset.filter(names)

    @admin.display(description="at", ordering="id")
    def time(self, event):
        return f"{timezone.localtime(event.at):%d %b %Y, %H:%M:%S}"

    def actor(self, event):
        return visible(f"{event.actor_kind} {event.actor_name}".rstrip())

    def object(self, event):
        return visible(f"{event.object_kind} {event.object_name}".rstrip())

    @admin.display(description="details")
    def about(self, event):
        return truncatechars(in_words(event.details).replace("\n", " · "), 200)

    @admin.display(description="details")
    def everything(self, event):
        return in_words(event.details)


def recorded(response, **details):
    """The response, after it is recorded that somebody reads the trail, unless it is refused."""
    if response.status_code == HTTPStatus.OK:
        AuditEvent.objects.record("read_trail", kind="auditevent", **details)
    return response


def in_words(details):
    """The message, and then the counts, filters and names."""
    values = {name: value for name, value in details.items() if name != "message"}
    lines = [f"{name}: {shown(value)}" for name, value in values.items()]
    return visible("\n".join([*filter(None, [details.get("message")]), *lines]))


def shown(value):
    if isinstance(value, dict):
        return urlencode(value)
    return ", ".join(value) if isinstance(value, list) else value
