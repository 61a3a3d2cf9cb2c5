"""The history page of a row, and the way back to an earlier state."""

from contextlib import contextmanager
from itertools import pairwise

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import path
from django.views.decorators.http import require_POST

from marketplace.adminsite.diffs import shown_change
from marketplace.adminsite.history import changes_between, related_keys


class HistoryPagesMixin:
    """Takes snapshots of what staff change, where the model has a `history`."""

    object_history_template = "admin/history.html"
    history_per_page = 10

    def get_urls(self):
        return [
            path(
                "<path:object_id>/history/<int:snapshot_id>/restore/",
                self.admin_site.admin_view(require_POST(self.restore_view)),
                name=self.url_name("restore"),
            ),
            *super().get_urls(),
        ]

    @property
    def has_history(self):
        return hasattr(self.model, "history")

    # Taking snapshots

    @contextmanager
    def logged_change(self, request, row, message, **details):
        """A transaction around the change of a row, which is logged with snapshots around it."""
        with transaction.atomic():
            self.snapshot_before_change(row)
            yield
            self.log_change(request, row, message, **details)

    def change_each(self, request, queryset, message, change):
        """Call `change` with each row, in a transaction of its own, which locks no other row."""
        rows = list(queryset.order_by("pk"))
        for row in rows:
            with self.logged_change(request, row, message):
                change(row)
        return rows

    def snapshot_before_change(self, row):
        if self.has_history:
            row.snapshot_before_change()

    def log_addition(self, request, obj, message):
        if self.has_history:
            obj.take_snapshot(user=request.user, kind="+")
        return super().log_addition(request, obj, message)

    def log_change(self, request, obj, message, *, is_event=False):
        # The message is empty when a form was saved without a change.
        if self.has_history and message:
            # Somebody else may have changed other fields since the row was read.
            obj.refresh_from_db()
            reason = message if isinstance(message, str) else ""
            obj.take_snapshot(user=request.user, reason=reason, is_event=is_event)
        return super().log_change(request, obj, message)

    def log_deletions(self, request, queryset):
        if self.has_history:
            for row in queryset:
                self.model.objects.get(pk=row.pk).take_snapshot(user=request.user, kind="-")
        return super().log_deletions(request, queryset)

    # The history page

    def history_view(self, request, object_id, extra_context=None):
        if not self.has_history:
            return super().history_view(request, object_id, extra_context)
        row = self.get_row_or_404(request, object_id)
        if not self.has_view_or_change_permission(request, row):
            raise PermissionDenied
        snapshots = self.model.history.filter(id=row.pk).select_related("history_user")
        page = Paginator(snapshots, self.history_per_page).get_page(request.GET.get("p"))
        context = {
            **self.admin_site.each_context(request),
            "title": f"History of {row}",
            "opts": self.opts,
            "object": row,
            "original": row,
            "page": page,
            "steps": self.history_steps(request, row, page),
            **(extra_context or {}),
        }
        return TemplateResponse(request, self.object_history_template, context)

    def history_steps(self, request, row, page):
        """The snapshots of a page, each with its changes since the one before it."""
        start = max(page.start_index() - 1, 0)
        # One more than the page shows, for its last one to be compared with.
        snapshots = page.paginator.object_list[start : start + self.history_per_page + 1]
        restorable = self.restorable_fields(request, row)
        return [
            {
                "snapshot": snapshot,
                "changes": shown_changes(changes_between(older, snapshot)) if older else [],
                "can_restore": any(
                    field.name in restorable for field in changes_between(snapshot, row)
                ),
            }
            for snapshot, older in pairwise([*snapshots, None])
        ][: self.history_per_page]

    # Restoring

    def restorable_fields(self, request, row):
        """The names of the fields that a snapshot can restore: those that the form offers."""
        if not self.has_change_permission(request, row):
            return []
        return list(self.get_form(request, row, change=True).base_fields)

    def restore_view(self, request, object_id, snapshot_id):
        """Restore the fields of the form from a snapshot, once staff have confirmed it."""
        row = self.get_row_or_404(request, object_id)
        if not self.has_history:
            raise Http404
        snapshot = get_object_or_404(self.model.history, history_id=snapshot_id, id=row.pk)
        changes = self.restorable_changes(request, row, snapshot)
        taken_at = f"{snapshot.history_date:%d %B %Y, %H:%M:%S}"
        history_url = self.url_of("history", row.pk)
        if not self.is_confirmed(request, [row]):
            return self.confirm(
                request,
                [row],
                "restore",
                label="Restore this state",
                text=f"Back to how it was on {taken_at}.",
                changes=shown_changes(changes),
                back=history_url,
            )
        message = f"Restored the state of {taken_at}."
        try:
            with self.logged_change(request, row, message):
                self.restore_fields(row, snapshot, list(changes))
        except ValidationError as error:
            self.message_user(request, " ".join(error.messages), messages.ERROR)
        else:
            self.message_user(request, message)
        return redirect(history_url)

    def restorable_changes(self, request, row, snapshot):
        """`{field: (current, restored)}` of the fields that the form offers."""
        restorable = self.restorable_fields(request, row)
        if not restorable:
            raise PermissionDenied
        return {
            field: (current, restored)
            for field, (restored, current) in changes_between(snapshot, row).items()
            if field.name in restorable
        }

    def restore_fields(self, row, snapshot, fields):
        for field in fields:
            if field.many_to_many:
                keys = related_keys(snapshot, field)
                existing = field.related_model.objects.filter(pk__in=keys)
                getattr(row, field.name).set(existing)
            else:
                setattr(row, field.attname, getattr(snapshot, field.attname))
        row.full_clean(exclude=[f.name for f in self.opts.fields if f not in fields])
        changed = [field.name for field in fields if not field.many_to_many]
        row.save(update_fields=[*changed, "updated_at"])


def shown_changes(changes):
    """`{field: (old, new)}` for templates/admin/changes.html."""
    return [
        shown_change(field.verbose_name, *(display_value(field, value) for value in values))
        for field, values in changes.items()
    ]


def display_value(field, value):
    """A field's value; the rows that it refers to instead of their keys."""
    if field.many_to_one and value is not None:
        return str(field.related_model.objects.filter(pk=value).first() or value)
    if not field.many_to_many:
        return value
    return list(field.related_model.objects.filter(pk__in=value).order_by("pk"))
