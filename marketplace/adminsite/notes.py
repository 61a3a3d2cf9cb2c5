"""Notes on a row, and the member of staff it is assigned to; its model has both relations."""

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import F

from marketplace.adminsite import theme
from marketplace.adminsite.actions import ActionForm, ReasonField, confirmed_action
from marketplace.adminsite.base import link_to
from marketplace.adminsite.filters import ChoiceFilter
from marketplace.adminsite.panels import NEWEST
from marketplace.adminsite.roles import permission_to, staff_with
from marketplace.models import Assignment

MAX_NOTES = 20  # on a page


class NoteForm(ActionForm):
    text = ReasonField(label="Note", help_text="Only staff can see it.")


class AssignForm(ActionForm):
    assignee = forms.ModelChoiceField(
        User.objects.none(), required=False, empty_label="Nobody", widget=theme.Select
    )

    def __init__(self, data, rows, **options):
        super().__init__(data, rows, **options)
        # Only people who can act on it.
        self.fields["assignee"].queryset = staff_with(permission_to("change", rows.model._meta))


class AssigneeFilter(ChoiceFilter):
    title = parameter_name = "assigned"
    options = {
        "anyone": ("to anyone", lambda rows: rows.exclude(assignments=None)),
        "nobody": ("to nobody", lambda rows: rows.filter(assignments=None)),
    }

    def lookups(self, request, model_admin):
        return [("me", "to me"), *super().lookups(request, model_admin)]

    def queryset(self, request, queryset):
        if self.value() == "me":
            return queryset.filter(assignments__assignee=request.user)
        return super().queryset(request, queryset)


def notes_of(_admin, _request, row):
    """A part of the `row_context`."""
    return {
        "notes": row.notes.select_related("author")[:MAX_NOTES],
        "assignment": row.assignments.select_related("assignee").first(),
    }


class NotesMixin:
    notes_actions = ["add_note", "assign_to_me", "assign"]

    @admin.display(description="assigned to", empty_value="nobody")
    def assigned_to(self, row):
        return row.assignee

    def with_assignee(self, queryset):
        """Annotate `assignee`, the user name, or None."""
        return queryset.annotate(assignee=F("assignments__assignee__username"))

    def has_note_permission(self, request):
        return self.has_change_permission(request)

    @confirmed_action("Add a note", NoteForm, permissions=["note"])
    def add_note(self, request, queryset, text):
        self.change_each(
            request,
            queryset,
            "Added a note.",
            lambda row: row.notes.create(author=request.user, text=text),
        )

    @confirmed_action("Assign to me", permissions=["note"])
    def assign_to_me(self, request, queryset):
        self.assign_each(request, queryset, request.user)

    @confirmed_action("Assign", AssignForm, permissions=["note"])
    def assign(self, request, queryset, assignee):
        self.assign_each(request, queryset, assignee)

    def assign_each(self, request, queryset, assignee):
        self.change_each(
            request,
            queryset,
            f"Assigned to {assignee or 'nobody'}.",
            lambda row: Assignment.objects.assign(row, assignee),
        )


def assigned_to(request):
    """The panel of rows assigned to this person, as a list of one; empty without rows."""
    rows = Assignment.objects.filter(assignee=request.user).select_related("content_type")[:NEWEST]
    lines = [
        (row.object_repr, row.content_type.name, link_to(request, label_of(row), row.object_id))
        for row in rows
    ]
    return [{"title": "Assigned to you", "rows": lines}] if lines else []


def label_of(row):
    return f"{row.content_type.app_label}.{row.content_type.model}"
