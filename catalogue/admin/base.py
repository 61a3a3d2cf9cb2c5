"""Writing, publishing and withdrawing entries."""

import json

from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Q
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from catalogue.admin.actions import StateActionsMixin
from catalogue.admin.duplicates import DuplicatesMixin
from catalogue.admin.filters import (
    AuthorFilter,
    CategoryFilter,
    NeedsWorkFilter,
    SourceFilter,
    TagFilter,
)
from catalogue.admin.forms import FormTextField
from catalogue.admin.labels import LabelsMixin
from catalogue.admin.publishing import SaveAndPublishMixin
from catalogue.admin.versions import VersionsMixin
from catalogue.frontmatter import plain_newlines
from catalogue.markdown import render_markdown
from catalogue.models import PUBLISHED, Status
from catalogue.models.checks import is_checked
from importing.admin.frontmatter import PastedFileMixin
from importing.admin.imports import ImportExportModelAdmin
from marketplace.adminsite.base import link_to
from marketplace.adminsite.history_pages import HistoryMixin
from marketplace.adminsite.notes import AssigneeFilter, NotesMixin
from marketplace.adminsite.panels import panel
from search.staff import containing


class EntryAdmin(
    SaveAndPublishMixin,
    LabelsMixin,
    DuplicatesMixin,
    NotesMixin,
    HistoryMixin,
    VersionsMixin,
    StateActionsMixin,
    PastedFileMixin,
    ImportExportModelAdmin,
):
    """What the admins of skills and personas share."""

    search_fields = ["slug"]  # and titles, tags, descriptions: see `find`
    search_help_text = "Slug, title, tag or description"
    list_filter = [
        "status",
        CategoryFilter,
        TagFilter,
        AuthorFilter,
        NeedsWorkFilter,
        SourceFilter,
        AssigneeFilter,
    ]
    ordering = ["-id"]
    prepopulated_fields = {"slug": ["title"]}
    formfield_overrides = {
        **ImportExportModelAdmin.formfield_overrides,
        models.TextField: {"form_class": FormTextField, "widget": FormTextField.widget},
    }
    actions = [*StateActionsMixin.state_actions, "edit_labels", *NotesMixin.notes_actions, "export"]
    always_readonly = [
        *("state", "withdrawn_at", "withdrawal_reason", "deprecation_message", "replaced_by"),
        *("checked_at", "public_id", "context_tokens", "source", "created_at", "updated_at"),
    ]
    own_fields = []
    counters = []
    sorted_by = ["updated_at"]
    serializer_class = None
    in_totals = True
    change_list_template = "admin/catalogue/entries.html"
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

    def get_prepopulated_fields(self, request, obj=None):
        # Agents know an entry by its slug: a new title must not change it.
        return {} if obj else self.prepopulated_fields

    def get_sortable_by(self, request):
        """The columns that an index sorts. These indexes hold published entries only."""
        return self.sorted_by if request.GET.get("status__exact") == Status.PUBLISHED else []

    def find(self, queryset, term):
        """Entries with every word or prefix; or those of a source, if the term looks like one."""
        if "/" in term or ":" in term:
            return queryset.filter(~Q(source=""), source=term)
        return containing(queryset, term)

    def attention(self):
        drafts = self.model.objects.filter(~PUBLISHED, status=Status.DRAFT)
        name = self.opts.verbose_name_plural
        return [(f"{name} in draft", drafts, f"?status__exact={Status.DRAFT}")]

    def save_model(self, request, obj, form, change):
        if not change:
            obj.save()
            return
        # Only what was edited: a counter may have moved since the form was opened.
        many_to_many = {field.name for field in obj._meta.many_to_many}
        if form.changed_data:
            self.snapshot_before_change(obj)
            names = {*form.changed_data, *form.followed}
            obj.save(update_fields=[*(names - many_to_many), "updated_at"])

    def has_delete_permission(self, request, obj=None):
        """The versions of an entry that was ever published protect it."""
        was_published = obj is not None and obj.number > 0
        return not was_published and super().has_delete_permission(request, obj)

    # Other pages

    def view_on_site(self, obj):
        """The public page, which a recalled entry keeps."""
        return obj.get_absolute_url() if obj.is_published or obj.is_recalled else None

    def get_urls(self):
        return [
            self.page_path("preview/", require_POST(self.preview_view), "preview"),
            self.page_path("<path:object_id>/as-agent/", self.as_agent_view, "as_agent"),
            *super().get_urls(),
        ]

    def restorable_fields(self, request, row):
        """Leave out the texts of an entry that was ever published: its versions restore them."""
        fields = super().restorable_fields(request, row)
        return [name for name in fields if not row.number or name != "content"]

    def preview_view(self, request):
        """The content of the form as HTML."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return HttpResponse(render_markdown(plain_newlines(request.POST.get("content", ""))))

    def as_agent_view(self, request, object_id):
        """The JSON that the API returns of the entry, or would return of a draft."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = self.get_row_or_404(request, object_id)
        entry = self.model.objects.in_detail().get(pk=row.pk)
        representation = self.serializer_class(entry, context={"request": request}).data
        body = json.dumps(representation, indent=2, ensure_ascii=False)
        return self.page(
            request,
            "admin/catalogue/as_agent.html",
            f"{entry} as an agent sees it",
            original=entry,
            address=f"GET /api/v1/{self.opts.model_name}s/{entry.slug}",
            body=body,
        )

    def row_context(self, request, row):
        case = getattr(row, "case", None)
        return {
            "panels": self.panels(request, row),
            "preview": render_markdown(row.content),
            "case": case,
            "case_link": case and link_to(request, "reports.case", case.pk),
        }

    def panels(self, request, entry):
        """The agents that have the entry: the newest installs, and a link to all of them."""
        [(_, holders)] = self.holders_of([entry])
        installs = (
            entry.agent_installs.present()
            .select_related("agent")
            .only("installed_at", f"{self.opts.model_name}_id", "agent_id", "agent__handle")
        )
        return [
            panel(
                f"{'Still held' if entry.is_recalled else 'Held'} by {holders}",
                installs,
                lambda install: (
                    install.agent.handle,
                    install.installed_at,
                    link_to(request, "agents.agent", install.agent_id),
                ),
                reverse(f"admin:installs_{self.opts.model_name}install_changelist")
                + f"?{self.opts.model_name}__id__exact={entry.pk}&present=yes",
            )
        ]
