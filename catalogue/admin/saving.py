"""Saving the form of an entry: what its buttons say before, and what staff are told after."""

from collections.abc import Callable
from typing import NamedTuple

from django.contrib import messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.html import format_html

from catalogue.admin.actions import get_it
from catalogue.admin.findings import with_values
from catalogue.models import Status
from marketplace.adminsite.actions import NAMED


class FormButton(NamedTuple):
    """A button of the form of an entry, beside those that save it.

    `read` gets the entry as it would be saved, which is then undone. `use` gets (admin, request,
    entry, what was read), and returns the response.
    """

    name: str
    label: str
    is_offered: Callable  # of (admin, request, entry)
    read: Callable
    use: Callable


def buttons_of(model_admin, request, entry):
    """A part of the `form_context`."""
    context = {
        "may_publish": model_admin.may_publish(request, entry),
        "save_label": "Save",
        "form_buttons": [
            button
            for button in model_admin.buttons_of_form
            if entry and button.is_offered(model_admin, request, entry)
        ],
    }
    if entry and entry.is_published:
        version = f"version {entry.number + 1} ({get_it(entry)})"
        context |= {
            "save_label": f"Save: a changed text becomes {version}",
            "publish_label": f"Publish {version}",
            "labels_label": f"Save {model_admin.others}",
            "fields_of_text": " ".join([*model_admin.texts, *served_fields(entry)]),
        }
    return context


def served_fields(entry):
    """The fields beside its texts that agents get in its file."""
    names = ["slug", "title", "description"]
    changed = {name: with_values(entry, {name: f"{getattr(entry, name)}x"}) for name in names}
    return [name for name in names if changed[name].digest_sources()[0] != entry.file_text]


class SavingMixin:
    """For the admin of an entry: publishing in one step with saving, and one message about both."""

    buttons_of_form = []  # FormButtons
    texts = []  # fields whose changes make a version
    others = "labels"  # the other fields, in words

    def may_publish(self, request, entry):
        is_draft = entry is None or entry.status == Status.DRAFT
        return is_draft and self.has_change_permission(request) and IS_POPUP_VAR not in request.GET

    def _changeform_view(self, request, object_id, form_url, extra_context):
        button = self.pressed(request) if object_id else None
        if button is None:
            response = super()._changeform_view(request, object_id, form_url, extra_context)
            if is_refused(response):
                transaction.set_rollback(True)  # with the files that were stored for inspection
            return response
        entry = self.get_row_or_404(request, object_id)
        if not button.is_offered(self, request, entry):
            raise PermissionDenied
        with transaction.atomic():
            response = super()._changeform_view(request, object_id, form_url, extra_context)
            transaction.set_rollback(True)
        if not hasattr(request, "read_of_form"):
            return response  # with the mistakes in the form
        return button.use(self, request, entry, request.read_of_form)

    def pressed(self, request):
        return next((row for row in self.buttons_of_form if row.name in request.POST), None)

    def response_add(self, request, obj, post_url_continue=None):
        request.tells_itself = True
        response = super().response_add(request, obj, post_url_continue)
        request.tells_itself = False
        if IS_POPUP_VAR not in request.POST:
            self.finish_save(request, obj)
        return response

    def response_change(self, request, obj):
        if button := self.pressed(request):
            request.read_of_form = button.read(obj)
            return None
        request.tells_itself = True
        response = super().response_change(request, obj)
        request.tells_itself = False
        self.finish_save(request, obj)
        return response

    def message_user(self, request, message, *arguments, **options):
        """Leave out Django's sentence about a save, which knows neither versions nor agents."""
        if not getattr(request, "tells_itself", False):
            super().message_user(request, message, *arguments, **options)

    def finish_save(self, request, entry):
        """Publish the entry if that was requested, and tell the result in one message."""
        form, is_published = entry.edit, False
        if "_publish" in request.POST and self.may_publish(request, entry):
            saved = self.model.objects.filter(pk=entry.pk)
            is_published = bool(self.change_each(request, saved, "Published.", self.model.publish))
        findings = findings_in_words(form)
        if form.findings and form.is_accepted:
            self.log_change(request, entry, form.accepted)
        parts = [*([] if is_published else [self.saved(request, entry)]), *findings]
        is_good = entry.is_published or is_published
        level = messages.SUCCESS if is_good and not findings else messages.WARNING
        if parts:
            text = format_html(" ".join(["{}"] * len(parts)), *parts)
            self.message_user(request, text, level)

    def saved(self, request, entry):
        """A sentence about an entry after a save."""
        number = entry.number
        if entry.is_published and number != entry.number_before:
            return f"Published version {number} of {entry}: {get_it(entry)}."
        if entry.is_published and not entry.edit.changed_data:
            return f"Nothing has changed: {entry} stays version {number}."
        if entry.is_published:
            return f"Saved {entry}. Its text is the same, so it stays version {number}."
        if entry.status != Status.DRAFT:
            return f"Saved {entry}, which stays {entry.state}: agents cannot install it."
        text, address = "{} is a draft: agents cannot find it until you publish it.", ""
        if self.has_change_permission(request, entry):
            text += ' <a class="underline" href="{}">Publish it now</a>.'
            address = self.url_of("do", entry.pk, "publish")
        return format_html(text, entry, address)


def findings_in_words(form):
    """The findings in a saved text: one sentence in a list, or an empty list."""
    if not form.findings:
        return []
    more = len(form.findings) - NAMED
    rest = [f"and {more:,} more"] if more > 0 else []
    return [f"Findings: {'; '.join([*map(str, form.shown_findings[:NAMED]), *rest])}."]


def is_refused(response):
    context = getattr(response, "context_data", None) or {}
    return "adminform" in context and bool(context["adminform"].form.errors)
