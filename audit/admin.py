import calendar
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from itertools import islice
from tempfile import TemporaryFile
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG
from django.db.models import Q
from django.http import FileResponse
from django.shortcuts import redirect
from django.template.defaultfilters import truncatechars
from django.utils import timezone

from audit.models import AuditEvent
from marketplace.adminsite import theme
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin
from marketplace.adminsite.filters import ChoiceFilter
from marketplace.adminsite.pages import AdminPage
from marketplace.hidden_text import visible

SIGN_INS = ["log_in", "log_in_failed", "log_out", "end_sessions"]
READINGS = ["read_trail", "export"]
MAX_EXPORTED = 50_000  # events in a file, which take two seconds


class ActionFilter(ChoiceFilter):
    title, parameter_name = "action", "actions"
    options = {
        "sign-ins": ("sign-ins", lambda events: events.filter(action__in=SIGN_INS)),
        "failed": ("failed sign-ins", lambda events: events.filter(action="log_in_failed")),
        "readings": ("exports and readings", lambda events: events.filter(action__in=READINGS)),
    }


class ActorFilter(theme.TextFilter):
    title, parameter_name = "the actor's whole name", "by"

    def queryset(self, request, queryset):
        name = (self.value() or "").strip()
        return queryset.by(name) if name else queryset


class PeriodFilter(theme.TextFilter):
    title, parameter_name = "day or month, such as 2026-11", "in"

    def queryset(self, request, queryset):
        if not self.value():
            return queryset
        try:
            first, end = period(self.value().strip())
        except (ValueError, OverflowError):
            text = "Enter a day such as 2026-11-27, or a month such as 2026-11."
            messages.error(request, text)
            return queryset.none()
        return queryset.filter(at__gte=first, at__lt=end)


def period(text):
    """The start of a day or month in UTC, and its end. Raises ValueError and OverflowError."""
    is_day = text.count("-") == 2
    first = datetime.strptime(text, "%Y-%m-%d" if is_day else "%Y-%m").replace(tzinfo=UTC)
    days = 1 if is_day else calendar.monthrange(first.year, first.month)[1]
    return first, first + timedelta(days=days)


def export_view(model_admin, request):
    """The events of the filtered list as a file, one JSON object a line, in order of id."""
    back = model_admin.url_of("changelist")
    try:
        events = model_admin.get_changelist_instance(request).queryset
    except IncorrectLookupParameters:
        return redirect(f"{back}?{ERROR_FLAG}=1")
    count = events.order_by().values("pk")[: MAX_EXPORTED + 1].count()
    if count > MAX_EXPORTED:
        text = (
            f"A file has at most {MAX_EXPORTED:,} events. Filter the list, for example by month, "
            "or use the command `manage.py audit`."
        )
        messages.error(request, text)
        return redirect(f"{back}?{request.GET.urlencode()}")
    file = TemporaryFile()  # noqa: SIM115 (the response closes it)
    # No more than were counted: there may be others by now.
    file.writelines(f"{event.line}\n".encode() for event in islice(events.in_order(), count))
    file.seek(0)
    filters = request.GET.dict()
    AuditEvent.objects.record("export", kind="auditevent", count=count, filters=filters)
    name = f"audit-{timezone.now():%Y-%m-%d}.jsonl"
    return FileResponse(
        file, as_attachment=True, filename=name, content_type="application/jsonl; charset=utf-8"
    )


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyModelAdmin):
    """The audit trail, for superusers. Opening it is an event, too (contract 33.6)."""

    menu = MenuItem("Staff", 43, "policy")
    list_display = ["time", "actor", "action", "object", "about", "address"]
    fields = ["time", "actor", "action", "object", "everything", "address", "request_id"]
    list_filter = [ActorFilter, PeriodFilter, "actor_kind", ActionFilter, "at"]
    ordering = ["-id"]
    search_fields = ["actor_name"]  # see `find`
    search_help_text = "A whole name, action, address or request ID"
    pages = [AdminPage("export/", "export", export_view, button="Download as JSON lines")]

    def has_view_permission(self, request, obj=None):
        return request.user.is_superuser

    def has_module_permission(self, request):
        return self.has_view_permission(request)

    def buttons(self, request, row=None):
        """With the filters of the list, which the file has, too."""
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        return [(label, url + query) for label, url in super().buttons(request, row)]

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
