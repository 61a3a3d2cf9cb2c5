"""The base of every model admin: fast lists, actions that are confirmed first, a history."""

from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ERROR_FLAG, ChangeList
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db import DataError, transaction
from django.http import Http404
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.views.decorators.http import require_POST

from marketplace.adminsite import theme
from marketplace.adminsite.history import bundle, changes_between, shown_change


class BoundedPaginator(Paginator):
    """Counts no further than MOST rows: whoever wants to see more searches or filters."""

    MOST = 10_000

    @cached_property
    def count(self):
        return self.object_list.order_by()[: self.MOST].count()


class StaffChangeList(ChangeList):
    def get_ordering(self, request, queryset):
        """Ties in the direction of the sort: that of the indexes, read forwards or backwards."""
        first, *rest = super().get_ordering(request, queryset)
        is_descending = getattr(first, "descending", str(first).startswith("-"))
        return [first, *rest] if is_descending or first == "pk" else [first, "pk"]


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=1000, widget=theme.Textarea(attrs={"rows": 3}))


class StaffModelAdmin(theme.ModelAdmin):
    list_per_page = 50
    show_full_result_count = False
    paginator = BoundedPaginator
    list_disable_select_all = True
    list_filter_submit = True
    # Sorting by a column is offered where an index has its order.
    sortable_by = []
    formfield_overrides = {ArrayField: {"widget": theme.TextInput}}
    change_form_template = "admin/row.html"
    object_history_template = "admin/history.html"
    history_per_page = 10
    delete_confirmation_max_display = 20

    # What the start page shows of the rows.
    counted_by_day = None  # (title, time field)
    in_totals = False

    class Media:
        js = ["admin.js"]

    def attention(self):
        """What staff should look at, as (text, rows, the list's query)."""
        return []

    def rankings(self, request):
        """Tables of the first few, as {"title", "note", "rows": [(text, number, url)]}."""
        return []

    def get_changelist(self, request, **kwargs):
        return StaffChangeList

    def changelist_view(self, request, extra_context=None):
        try:
            return super().changelist_view(request, extra_context)
        except (DataError, OverflowError, ValueError):
            # A filter that PostgreSQL cannot read: as Django does with one that it cannot read.
            if ERROR_FLAG in request.GET:
                raise  # It is not the filter.
            return redirect(f"{request.path}?{ERROR_FLAG}=1")

    def list_url(self):
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")

    def change_url(self, pk):
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[pk])

    def get_urls(self):
        return [
            path(
                "<path:object_id>/do/<slug:action>/",
                self.admin_site.admin_view(self.act),
                name=f"{self.opts.app_label}_{self.opts.model_name}_do",
            ),
            path(
                "<path:object_id>/history/<int:snapshot_id>/restore/",
                self.admin_site.admin_view(require_POST(self.restore_snapshot)),
                name=f"{self.opts.app_label}_{self.opts.model_name}_restore",
            ),
            *super().get_urls(),
        ]

    def get_search_results(self, request, queryset, search_term):
        term = search_term.strip().replace("\0", "")
        return (self.find(queryset, term) if term else queryset), False

    def find(self, queryset, term):
        """The rows that a search means, by an index."""
        return queryset.none()

    # Actions, of the list and of one row alike

    def row_actions(self, request, row):
        """(name, label) of the actions that this person may take on one row's own page."""
        return [
            (name, label)
            for name, (_, _, label) in self.get_actions(request).items()
            if name != "delete_selected" and self.is_offered(name, row)
        ]

    def is_offered(self, action, row):
        """Whether an action would change anything about the row."""
        return True

    def act(self, request, object_id, action):
        """An action on one row, from its own page."""
        actions = self.get_actions(request)
        if action not in actions:
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        function, _, _ = actions[action]
        rows = self.get_queryset(request).filter(pk=row.pk)
        return function(self, request, rows) or redirect(self.change_url(row.pk))

    def confirm(self, request, rows, action, *, label="", **context):
        """The page that asks before an action; it posts `confirmed` to the same address.

        What is no action of the list brings its own `label`.
        """
        rows = list(rows)
        return TemplateResponse(
            request,
            "admin/confirm.html",
            {
                **self.admin_site.each_context(request),
                "title": label or self.get_actions(request)[action][2],
                "opts": self.opts,
                "rows": rows,
                "action": action,
                "checkbox": ACTION_CHECKBOX_NAME,
                "back": self.change_url(rows[0].pk) if len(rows) == 1 else self.list_url(),
                **context,
            },
        )

    def is_confirmed(self, request):
        return request.method == "POST" and "confirmed" in request.POST

    def change_view(self, request, object_id, form_url="", extra_context=None):
        context = {}
        # The row is looked at once for the form and once for what stands around it.
        if row := self.get_object(request, unquote(object_id)):
            context = {
                "row_actions": self.row_actions(request, row),
                **self.around(request, row),
            }
        return super().change_view(request, object_id, form_url, context | (extra_context or {}))

    def around(self, request, row):
        """What the row's own page shows beside its form."""
        return {}

    # History

    @property
    def has_history(self):
        return hasattr(self.model, "history")

    @contextmanager
    def changing(self, request, row, message):
        """A transaction around a change of a row, which logs it and keeps it in its history."""
        with transaction.atomic():
            self.keep_snapshot(row)
            yield
            self.log_change(request, row, message)

    def keep_snapshot(self, row):
        """Keep the row as it is before staff change it, so that there is a way back."""
        if self.has_history:
            found = self.model.objects.get(pk=row.pk)
            since = getattr(found, "updated_at", found.created_at)
            found.keep_history(reason="As it was found", since=since)

    def log_addition(self, request, obj, message):
        if self.has_history:
            obj.keep_history(user=request.user, kind="+")
        return super().log_addition(request, obj, message)

    def log_change(self, request, obj, message):
        # Without a message a form was saved as it was.
        if self.has_history and message:
            reason = message if isinstance(message, str) else ""
            obj.keep_history(user=request.user, reason=reason)
        return super().log_change(request, obj, message)

    def log_deletions(self, request, queryset):
        if self.has_history:
            for row in queryset:
                self.model.objects.get(pk=row.pk).keep_history(user=request.user, kind="-")
        return super().log_deletions(request, queryset)

    def history_view(self, request, object_id, extra_context=None):
        if not self.has_history:
            return super().history_view(request, object_id, extra_context)
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        if not self.has_view_or_change_permission(request, row):
            raise PermissionDenied
        kept = self.model.history.filter(id=row.pk).select_related("history_user")
        page = Paginator(kept, self.history_per_page).get_page(request.GET.get("p"))
        # Each is compared with the one before it, the last of the page with the next page's first.
        start = max(page.start_index() - 1, 0)
        snapshots = kept[start : start + self.history_per_page + 1]
        restorable = self.restorable(request, row)
        steps = [
            {
                "snapshot": snapshot,
                "changes": shown_changes(changes_between(older, snapshot)) if older else [],
                "can_restore": any(
                    field.name in restorable for field in changes_between(snapshot, row)
                ),
            }
            for snapshot, older in pairwise([*snapshots, None])
        ][: self.history_per_page]
        context = {
            **self.admin_site.each_context(request),
            "title": f"History of {row}",
            "opts": self.opts,
            "object": row,
            "original": row,
            "page": page,
            "steps": steps,
            **(extra_context or {}),
        }
        return TemplateResponse(request, self.object_history_template, context)

    def restorable(self, request, row):
        """Fields that an earlier state may be brought back of: those that its form offers."""
        if not self.has_change_permission(request, row):
            return []
        return list(self.get_form(request, row, change=True).base_fields)

    def restore_snapshot(self, request, object_id, snapshot_id):
        """Ask, then bring the fields of the form back to what they were; nothing else moves."""
        row = self.get_object(request, unquote(object_id))
        if row is None or not self.has_history:
            raise Http404
        snapshot = self.model.history.filter(history_id=snapshot_id, id=row.pk).first()
        if snapshot is None:
            raise Http404
        names = self.restorable(request, row)
        if not names:
            raise PermissionDenied
        when = f"{snapshot.history_date:%d %B %Y, %H:%M:%S}"
        changes = {
            field: (now, kept)
            for field, (kept, now) in changes_between(snapshot, row).items()
            if field.name in names
        }
        history = reverse(
            f"admin:{self.opts.app_label}_{self.opts.model_name}_history", args=[row.pk]
        )
        if not self.is_confirmed(request):
            return self.confirm(
                request,
                [row],
                "restore",
                label="Restore this state",
                text=f"Back to how it was on {when}.",
                changes=shown_changes(changes),
                back=history,
            )
        try:
            with self.changing(request, row, f"Restored the state of {when}."):
                self.bring_back(row, snapshot, list(changes))
        except ValidationError as error:
            self.message_user(request, " ".join(error.messages), messages.ERROR)
        else:
            self.message_user(request, f"Restored the state of {when}.")
        return redirect(history)

    def bring_back(self, row, snapshot, fields):
        for field in fields:
            if field.many_to_many:
                wanted = bundle(snapshot, field)
                there = field.related_model.objects.filter(pk__in=wanted)
                getattr(row, field.name).set(there)
            else:
                setattr(row, field.attname, getattr(snapshot, field.attname))
        row.full_clean(exclude=[f.name for f in self.opts.fields if f not in fields])
        changed = [field.name for field in fields if not field.many_to_many]
        row.save(update_fields=[*changed, "updated_at"])

    def save_model(self, request, obj, form, change):
        if change:
            self.keep_snapshot(obj)
        super().save_model(request, obj, form, change)


def shown_changes(changes):
    """`{field: (old, new)}` as a person reads it."""
    return [
        shown_change(field.verbose_name, *(named(field, value) for value in values))
        for field, values in changes.items()
    ]


def link_to(request, model, pk):
    """The address of a row's page, "" for whoever may not open it; models as `agents.agent`."""
    app, _, name = model.partition(".")
    allowed = request.user.has_perm(f"{app}.view_{name}")
    return reverse(f"admin:{app}_{name}_change", args=[pk]) if allowed else ""


def named(field, value):
    """A value of a field; of a bundle the rows, and not their keys."""
    if not field.many_to_many:
        return value
    return list(field.related_model.objects.filter(pk__in=value).order_by("pk"))


class ReadOnlyModelAdmin(StaffModelAdmin):
    """Rows that only the API writes: staff look, and act through actions."""

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
