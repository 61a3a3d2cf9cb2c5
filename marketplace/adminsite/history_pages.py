"""The history of rows that staff change, and the way back to an earlier state."""

from itertools import pairwise

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404
from django.shortcuts import redirect
from django.utils.text import capfirst
from simple_history.admin import SimpleHistoryAdmin

from marketplace.adminsite.history import changes_between
from marketplace.diffs import Comparison, change_of
from marketplace.hidden_text import sentences


class HistoryMixin(SimpleHistoryAdmin):
    """Takes snapshots of what staff change, and shows them on the library's page."""

    object_history_list_template = "admin/history_list.html"
    history_list_per_page = 10

    # Taking snapshots

    def snapshot_before_change(self, row):
        row.snapshot_before_change()

    def log_addition(self, request, obj, message):
        obj.take_snapshot(user=request.user, kind="+")
        return super().log_addition(request, obj, message)

    def log_change(self, request, obj, message, *, is_event=False):
        # The message is empty when a form was saved without a change.
        if message:
            # Somebody else may have changed other fields since the row was read.
            obj.refresh_from_db()
            reason = message if isinstance(message, str) else ""
            obj.take_snapshot(user=request.user, reason=reason, is_event=is_event)
        return super().log_change(request, obj, message)

    def log_deletions(self, request, queryset):
        for row in queryset:
            self.model.objects.get(pk=row.pk).take_snapshot(user=request.user, kind="-")
        return super().log_deletions(request, queryset)

    # Showing them

    def history_view(self, request, object_id, extra_context=None):
        self.get_row_or_404(request, object_id)  # The library fails if this is not a key.
        return super().history_view(request, object_id, extra_context)

    def set_history_delta_changes(self, request, historical_records, **options):
        """Add to each snapshot its changes since the one before it.

        The library leaves out fields that no form edits, such as a skill's files, and the last
        snapshot of a page. It also shortens texts to 100 characters.
        """
        page = historical_records
        older = page.paginator.object_list[page.end_index() :][:1]
        for snapshot, before in pairwise([*page, *older]):
            snapshot.history_delta_changes = changes_of(changes_between(before, snapshot))
        row = self.get_row_or_404(request, request.resolver_match.kwargs["object_id"])
        if self.has_change_permission(request, row):
            for snapshot in page:
                snapshot.is_restorable = bool(self.restorable_changes(request, row, snapshot))

    # Restoring

    def restorable_fields(self, request, row):
        """The names of the fields that a snapshot can restore: those that the form offers."""
        return list(self.get_form(request, row, change=True).base_fields)

    def history_form_view(self, request, object_id, version_id, extra_context=None):
        """Restore the fields of the form from a snapshot, after staff confirm it.

        The library would save every column, including the status and the counters, for anybody who
        may view the row.
        """
        row = self.get_row_or_404(request, object_id)
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        try:
            snapshot = self.model.history.get(history_id=version_id, id=row.pk)
        except (self.model.history.model.DoesNotExist, ValueError) as error:
            raise Http404 from error
        changes = self.restorable_changes(request, row, snapshot)
        taken_at = f"{snapshot.history_date:%d %B %Y, %H:%M:%S}"
        back = self.url_of("history", row.pk)
        is_confirmed = self.is_confirmed(request, [row])
        form = self.restore_form(request.POST if is_confirmed else None, row, changes)
        if not changes:
            self.message_user(request, "It is already in this state.")
        elif not (is_confirmed and self.is_answered(request, form)):
            return self.confirm(
                request,
                [row],
                "restore",
                label="Restore this state",
                text=f"This restores the values of {taken_at}.",
                changes=changes_of(changes),
                form=form,
                back=back,
            )
        else:
            self.restore_fields(request, row, changes, f"Restored the state of {taken_at}.")
        return redirect(back)

    def restore_form(self, data, row, changes):
        """The form of the confirmation, if it has one."""

    def restorable_changes(self, request, row, snapshot):
        """`{field: (current, restored)}` of the fields that a snapshot can restore."""
        restorable = self.restorable_fields(request, row)
        return {
            field: (current, restored)
            for field, (restored, current) in changes_between(snapshot, row).items()
            if field.name in restorable
        }

    def restore_fields(self, request, row, changes, message):
        columns = [field for field in changes if not field.many_to_many]
        try:
            with self.logged_change(request, row, message):
                check_texts(value for _, value in changes.values())
                for field, (_, value) in changes.items():
                    if field in columns:
                        setattr(row, field.attname, value)
                    else:
                        existing = field.related_model.objects.filter(pk__in=value)
                        getattr(row, field.name).set(existing)
                row.full_clean(exclude=[f.name for f in self.opts.fields if f not in columns])
                row.save(update_fields=[*(field.name for field in columns), "updated_at"])
        except ValidationError as error:
            self.message_user(request, " ".join(error.messages), messages.ERROR)
        else:
            self.message_user(request, message)


def check_texts(values):
    """Raises ValidationError for hidden characters."""
    if reasons := [reason for value in values for reason in sentences(value)]:
        raise ValidationError(reasons)


def changes_of(changes):
    """`{field: (old, new)}` for templates/_changes.html."""
    comparison = Comparison()
    return [
        change_of(
            capfirst(field.verbose_name),
            display_value(field, old),
            display_value(field, new),
            comparison,
        )
        for field, (old, new) in changes.items()
    ]


def display_value(field, value):
    """A field's value; the rows that it refers to instead of their keys."""
    if not field.is_relation or value is None:
        return value
    keys = value if field.many_to_many else [value]
    return list(field.related_model.objects.filter(pk__in=keys).order_by("pk"))
