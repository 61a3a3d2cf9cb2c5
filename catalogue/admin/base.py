"""Writing, publishing and withdrawing entries."""

import json

from django.contrib import admin
from django.db import models
from django.db.models import Q
from django.http import HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST

from catalogue.admin import actions, versions
from catalogue.admin.actions import count_holders, get_it, in_agents
from catalogue.admin.filters import AuthorFilter, CategoryFilter, NeedsWorkFilter, TagFilter
from catalogue.admin.findings import FindingsForm, with_values
from catalogue.admin.forms import FormTextField
from catalogue.admin.saving import SavingMixin, buttons_of
from catalogue.admin.states import state_of
from catalogue.frontmatter import plain_newlines
from catalogue.markdown import render_markdown
from catalogue.models import PUBLISHED, Status
from catalogue.models.checks import is_checked
from marketplace.adminsite.base import StaffModelAdmin, state_label
from marketplace.adminsite.history_pages import HistoryMixin
from marketplace.adminsite.notes import AssigneeFilter, NotesMixin, notes_of
from marketplace.adminsite.pages import AdminPage


@method_decorator(require_POST)
def preview_view(_admin, request):
    """The content of the form as HTML."""
    return HttpResponse(render_markdown(plain_newlines(request.POST.get("content", ""))))


def as_agent_view(model_admin, request, object_id):
    """The JSON that the API returns of the entry, or would return of a draft."""
    row = model_admin.get_row_or_404(request, object_id)
    entry = model_admin.model.objects.in_detail().get(pk=row.pk)
    representation = model_admin.serializer_class(entry, context={"request": request}).data
    body = json.dumps(representation, indent=2, ensure_ascii=False)
    return model_admin.page(
        request,
        "admin/catalogue/as_agent.html",
        f"{entry} as an agent sees it",
        original=entry,
        address=f"GET /api/v1/{model_admin.opts.model_name}s/{entry.slug}",
        body=body,
    )


class EntryAdmin(SavingMixin, NotesMixin, HistoryMixin, StaffModelAdmin):
    """What the admins of skills and personas share.

    Apps above the catalogue add their pages, panels and actions with `extend`.
    """

    search_fields = ["slug"]  # and titles, tags, descriptions: see `find`
    search_help_text = "Slug, title, tag or description"
    finders = []  # functions of (entries, text) that return those that match
    list_filter = [
        *("status", CategoryFilter, TagFilter, AuthorFilter, NeedsWorkFilter, AssigneeFilter)
    ]
    ordering = ["-id"]
    formfield_overrides = {
        **StaffModelAdmin.formfield_overrides,
        models.TextField: {"form_class": FormTextField, "widget": FormTextField.widget},
    }
    actions = [*actions.ACTIONS, *NotesMixin.notes_actions]
    pages = [
        *versions.PAGES,
        AdminPage("preview/", "preview", preview_view),
        AdminPage(
            "<path:object_id>/as-agent/", "as_agent", as_agent_view, button="As an agent sees it"
        ),
    ]
    version_origins = []  # functions of (entry, numbers): `{number: text}`, who made a version
    row_context = [notes_of, state_of]
    form_context = [buttons_of]
    always_readonly = [
        *("state", "withdrawn_at", "withdrawal_reason", "deprecation_message", "replaced_by"),
        *("checked_at", "public_id", "context_tokens", "source", "created_at", "updated_at"),
    ]
    own_fields = []
    more_fieldsets = []  # above the content
    texts = ["content"]  # fields whose changes make a version
    counters = []
    sorted_by = ["updated_at"]
    serializer_class = None
    in_totals = True
    change_form_template = "admin/catalogue/entry.html"

    def get_queryset(self, request):
        queryset = super().get_queryset(request)
        is_list = request.resolver_match.url_name == self.url_name("changelist")
        # Actions, which are posted to the list, may need all of an entry.
        if is_list and request.method == "GET":
            return queryset.defer(*self.model.long_columns())
        return queryset

    def get_fieldsets(self, request, obj=None):
        about = ["title", "slug", "description", "category", "tags", "runtimes"]
        fieldsets = [
            (None, {"fields": [*about, *self.own_fields]}),
            *self.more_fieldsets,
            ("Content", {"fields": ["content"], "classes": ["markdown"]}),
        ]
        if obj is None:
            return [*fieldsets, ("Origin", {"fields": ["author", "version", "license"]})]
        names = ["state", "withdrawal_reason"] if obj.is_recalled else ["state"]
        if obj.deprecation_message:
            names += ["deprecation_message", "replaced_by"]
        if is_checked(obj):
            names += ["checked_at"]
        rows = ["context_tokens", "public_id", "created_at", "updated_at"]
        return [
            *fieldsets,
            ("Origin", {"fields": ["author", "version", "license", "source"]}),
            ("State", {"fields": [*names, *self.counters, *rows]}),
        ]

    def get_readonly_fields(self, request, obj=None):
        return [*self.counters, *self.always_readonly]

    def get_sortable_by(self, request):
        """The indexes of a large table hold published entries only."""
        is_published = request.GET.get("status__exact") == Status.PUBLISHED
        return super().get_sortable_by(request) or (self.sorted_by if is_published else [])

    def find(self, queryset, term):
        """Entries with every word or prefix; or those of a source, if the term looks like one."""
        if "/" in term or ":" in term:
            return queryset.filter(~Q(source=""), source=term)
        for find in self.finders:
            queryset = find(queryset, term)
        return queryset

    def attention(self):
        drafts = self.model.objects.filter(~PUBLISHED, status=Status.DRAFT)
        name = self.opts.verbose_name_plural
        return [(f"{name} in draft", drafts, f"?status__exact={Status.DRAFT}")]

    def save_model(self, request, obj, form, change):
        obj.edit, obj.number_before = form, obj.number
        if not change:
            obj.save()
            return
        # Only what was edited: most triggers run when one of their own columns is written.
        many_to_many = {field.name for field in obj._meta.many_to_many}
        if form.changed_data:
            self.snapshot_before_change(obj)
            names = {*form.changed_data, *form.followed}
            obj.save(update_fields=[*(names - many_to_many), "updated_at"])

    def has_delete_permission(self, request, obj=None):
        """The versions of an entry that was ever published protect it."""
        was_published = obj is not None and obj.number > 0
        return not was_published and super().has_delete_permission(request, obj)

    def view_on_site(self, obj):
        """The public page, which a recalled entry keeps."""
        return obj.get_absolute_url() if obj.is_published or obj.is_recalled else None

    def restorable_fields(self, request, row):
        """Leave out the texts of an entry that was ever published: its versions restore them."""
        fields = super().restorable_fields(request, row)
        return [name for name in fields if not row.number or name not in self.texts]

    def restore_form(self, data, row, changes):
        values = {
            field.attname: value for field, (_, value) in changes.items() if not field.many_to_many
        }
        return FindingsForm(data, [with_values(row, values)])

    def text_of(self, row):
        return {"preview": render_markdown(row.content)}

    # States

    @admin.display(description="status", ordering=None)
    def state(self, entry):
        if entry.is_published and entry.deprecation_message:
            return state_label("deprecated")
        return state_label(entry.state)

    @admin.display(description="successor", empty_value="None")
    def replaced_by(self, entry):
        """The successor, with a note if it is not published, because agents do not see it then."""
        successor = entry.successor
        if successor is None or successor.is_published:
            return successor
        return f"{successor} ({successor.state}, so agents do not see it)"

    def named(self, done, rows):
        if done != "Published":
            return super().named(done, rows)
        rows = count_holders(rows)
        return [(row, f"{row} (version {row.number}, {get_it(row)})") for row in rows]

    def holders_of(self, entries):
        """How many agents have each entry itself, not through a persona."""
        return [(entry, in_agents(entry.holders["all"])) for entry in count_holders([*entries])]
