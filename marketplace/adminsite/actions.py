"""Actions that staff confirm before they run, from the list and from one row's own page."""

from contextlib import contextmanager, suppress
from functools import wraps

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import transaction
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from marketplace.adminsite import theme
from marketplace.adminsite.edits import moment
from marketplace.models import MAX_REASON
from marketplace.secrets import holds_token
from marketplace.visible_texts import VisibleTextsMixin

NAMED = 5  # rows that a message names


class NothingChanged(Exception):
    """A row already is as an action would make it."""


class ReasonField(forms.CharField):
    """A few lines that others read, without the CRLF that browsers post."""

    widget = theme.Textarea(attrs={"rows": 3, "autofocus": True})

    def __init__(self, **options):
        super().__init__(max_length=MAX_REASON, **options)

    def to_python(self, value):
        return super().to_python(value).replace("\r\n", "\n")

    def validate(self, value):
        super().validate(value)
        if holds_token(value):
            raise forms.ValidationError("Remove the agent token from this text, and revoke it.")


class ActionForm(VisibleTextsMixin, forms.Form):
    """The values that an action needs."""

    accepted = ""  # what a person accepts with it, as a sentence for the log

    def __init__(self, data, rows, **options):
        super().__init__(data, **options)
        self.rows = rows


class ReasonForm(ActionForm):
    reason = ReasonField()


def confirmed_action(
    description,
    form_class=None,
    *,
    permissions=("change",),
    refusal="",
    level=messages.WARNING,
    **context,
):
    """An action that runs after staff confirm it, with its form's values as keyword arguments.

    It skips the rows to which it is not offered, and shows the `refusal` if no row is left. The
    `context` is passed to `confirm`; callables in it get the admin and the rows.
    """
    refusal = refusal or f'Nothing to do: "{description}" applies to none of these.'

    def decorate(run):
        @admin.action(description=description, permissions=permissions)
        @wraps(run)
        def action(self, request, queryset):
            keys = [row.pk for row in queryset if is_offered(action, row)]
            if not keys:
                return self.message_user(request, refusal, level)
            queryset = queryset.filter(pk__in=keys)
            is_confirmed = self.is_confirmed(request, queryset)
            form = form_class and form_class(request.POST if is_confirmed else None, queryset)
            if is_confirmed and self.is_answered(request, form):
                return run(self, request, queryset, **(form.cleaned_data if form else {}))
            details = {
                name: value(self, queryset) if callable(value) else value
                for name, value in context.items()
            }
            return self.confirm(request, queryset, run.__name__, form=form, **details)

        return action

    return decorate


def offered_to(accepts):
    """For the function of an action: the rows of which it would change something.

    The page of another row has no button for it, and a confirmed action skips that row.
    """

    def decorate(function):
        function.accepts = accepts
        return function

    return decorate


def is_offered(function, row):
    return getattr(function, "accepts", lambda _: True)(row)


class ConfirmedActionsMixin:
    def response_action(self, request, queryset):
        """Raises BadRequest if the key of a selected row is not one."""
        for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
            try:
                self.opts.pk.to_python(key)
            except ValidationError as error:
                raise BadRequest from error
        return super().response_action(request, queryset)

    def row_actions(self, request, row):
        """(name, label) of the actions that this person may run from one row's own page."""
        return [
            (name, label)
            for name, (function, _, label) in self.get_actions(request).items()
            if name != "delete_selected" and is_offered(function, row)
        ]

    def row_action_view(self, request, object_id, action):
        """Run an action of the list on one row."""
        actions = self.get_actions(request)
        if action not in actions:
            raise PermissionDenied
        row = self.get_row_or_404(request, object_id)
        function, _, _ = actions[action]
        rows = self.get_queryset(request).filter(pk=row.pk)
        return function(self, request, rows) or redirect(self.url_of("change", row.pk))

    def confirm(self, request, rows, action, *, label="", **context):
        """The confirmation page of an action; it posts `confirmed` to its own address.

        Pass a `label` for anything that is not an action of the list.
        """
        rows = list(rows)
        changes_since = self.unseen_changes(request, rows)
        if changes_since and context.get("form"):
            form = context["form"]
            form.is_bound, form.data = True, request.POST
        only = rows[0] if len(rows) == 1 else None
        back = self.url_of("change", only.pk) if only else self.url_of("changelist")
        return self.page(
            request,
            "admin/confirm.html",
            label or self.get_actions(request)[action][2],
            rows=rows,
            action=action,
            checkbox=ACTION_CHECKBOX_NAME,
            changes_since=changes_since,
            opened_at=timezone.now().timestamp(),
            **{"back": back, **context},
        )

    def is_confirmed(self, request, rows):
        """Whether this person has confirmed it after seeing what other staff changed."""
        is_sent = request.method == "POST" and "confirmed" in request.POST
        return is_sent and not self.unseen_changes(request, rows)

    def is_answered(self, request, form):
        """Whether the form of a confirmation is valid. The log tells what it accepts."""
        if form is None:
            return True
        is_valid = form.is_valid()
        request.accepted = form.accepted
        return is_valid

    def unseen_changes(self, request, rows):
        """The changes by other staff to the rows since this person opened the confirmation.

        Agents do not count: by changing a row again and again they could keep staff from acting.
        """
        with suppress(KeyError, ValueError):
            return self.changes_since(rows, moment(request.POST["opened_at"]))
        return []  # not confirmed yet

    # Changing rows

    @contextmanager
    def logged_change(self, request, row, message, **details):
        """Change a row in a transaction, and log it with what the person has accepted.

        A NothingChanged within it ends it, and nothing is logged.
        """
        message = f"{message} {getattr(request, 'accepted', '')}".rstrip()
        with suppress(NothingChanged), transaction.atomic():
            self.snapshot_before_change(row)
            yield
            self.log_change(request, row, message, **details)

    def change_each(self, request, queryset, message, change, *, then=""):
        """Call `change` with each row, in its own transaction, which locks no other row.

        Returns the rows that are now as they should be, which `tell` names. If a row raises a
        ValidationError, staff see its message. If `change` returns False, nothing has changed, and
        nothing is logged.
        """
        changed = []
        for row in queryset.order_by("pk"):
            try:
                with self.logged_change(request, row, message):
                    if change(row) is False:
                        raise NothingChanged
            except ValidationError as error:
                self.message_user(request, f"{row}: {' '.join(error.messages)}", messages.ERROR)
            else:
                changed.append(row)
        self.tell(request, message.partition(":")[0].rstrip("."), changed, then)
        return changed

    def tell(self, request, done, rows, then=""):
        """Show which rows were changed, with links to the first of them."""
        if not rows:
            return
        first = rows[:NAMED]
        others = f" and {len(rows) - NAMED:,} more" if len(rows) > NAMED else ""
        links = format_html_join(
            ", ",
            '<a class="underline" href="{}">{}</a>',
            ((self.url_of("change", row.pk), name) for row, name in self.named(done, first)),
        )
        text = format_html("{}: {}{}. {}", done, links, others, then)
        self.message_user(request, text, messages.SUCCESS)

    def named(self, done, rows):
        """The rows, and how a message names each of them."""
        return [(row, row) for row in rows]

    # Only the models of a HistoryMixin have snapshots.

    def snapshot_before_change(self, row):
        """Do nothing."""

    def log_change(self, request, obj, message, *, is_event=False):
        return super().log_change(request, obj, message)
