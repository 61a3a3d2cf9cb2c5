"""Writing, publishing and withdrawing entries."""

import json
from collections.abc import Callable
from typing import NamedTuple

from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.db.models import Count, Q
from django.http import HttpResponse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from catalogue.admin import actions, versions
from catalogue.admin.actions import in_agents
from catalogue.admin.filters import AuthorFilter, CategoryFilter, NeedsWorkFilter, TagFilter
from catalogue.admin.findings import FindingsForm, with_values
from catalogue.admin.forms import FormTextField
from catalogue.frontmatter import plain_newlines
from catalogue.markdown import render_markdown
from catalogue.models import PUBLISHED, Status
from catalogue.models.checks import is_checked
from marketplace.adminsite.actions import NAMED
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


def form_buttons(model_admin, request, entry):
    return {
        "may_publish": model_admin.may_publish(request, entry),
        "form_buttons": [
            button
            for button in model_admin.buttons_of_form
            if entry and button.is_offered(model_admin, request, entry)
        ],
    }


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


class EntryAdmin(NotesMixin, HistoryMixin, StaffModelAdmin):
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
    row_context = [notes_of]
    form_context = [form_buttons]
    buttons_of_form = []  # FormButtons
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
        obj.edit = form
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

    def holders_of(self, entries):
        """How many agents have each entry itself, not through a persona."""
        kind = self.opts.model_name
        installs = self.model.agent_installs.rel.related_model.objects.present()
        by_entry = installs.filter(**{f"{kind}__in": entries}).order_by().values_list(kind)
        numbers = dict(by_entry.annotate(number=Count("pk")))
        return [(entry, in_agents(numbers.get(entry.pk, 0))) for entry in entries]

    # Saving and publishing in one step

    def may_publish(self, request, entry):
        is_draft = entry is None or entry.status == Status.DRAFT
        return is_draft and self.has_change_permission(request) and IS_POPUP_VAR not in request.GET

    def response_add(self, request, obj, post_url_continue=None):
        response = super().response_add(request, obj, post_url_continue)
        if "_publish" in request.POST and self.may_publish(request, obj):
            self.publish_saved(request, obj)
        elif IS_POPUP_VAR not in request.POST:
            self.say_that_it_is_a_draft(request, obj)
        self.tell_findings(request, obj)
        return response

    def _changeform_view(self, request, object_id, form_url, extra_context):
        button = self.pressed(request) if object_id else None
        if button is None:
            return super()._changeform_view(request, object_id, form_url, extra_context)
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

    def response_change(self, request, obj):
        if button := self.pressed(request):
            request.read_of_form = button.read(obj)
            return None
        response = super().response_change(request, obj)
        if "_publish" in request.POST and self.may_publish(request, obj):
            self.publish_saved(request, obj)
        self.tell_findings(request, obj)
        return response

    def publish_saved(self, request, entry):
        saved = self.model.objects.filter(pk=entry.pk)
        self.change_each(request, saved, "Published.", self.model.publish)

    def tell_findings(self, request, entry):
        """Say what the saved edit brought, and record it if this person was asked about it."""
        form = entry.edit
        if not form.findings:
            return
        more = len(form.findings) - NAMED
        rest = [f"and {more:,} more"] if more > 0 else []
        text = "; ".join([*map(str, form.shown_findings[:NAMED]), *rest])
        self.message_user(request, f"Findings in {entry}: {text}.", messages.WARNING)
        if form.is_accepted:
            self.log_change(request, entry, form.accepted)

    def say_that_it_is_a_draft(self, request, entry):
        text, address = "{} is a draft: agents cannot find it until you publish it.", ""
        if self.has_change_permission(request, entry):
            text += ' <a class="underline" href="{}">Publish it</a>'
            address = self.url_of("do", entry.pk, "publish")
        self.message_user(request, format_html(text, entry, address), messages.WARNING)
