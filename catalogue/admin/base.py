"""Writing, publishing and withdrawing entries."""

import json

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Count, Q
from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.views.decorators.http import require_POST

from catalogue.admin.filters import AuthorFilter, CategoryFilter, SourceFilter
from catalogue.admin.forms import DeprecationForm, FormTextField, RecallForm
from catalogue.admin.imports import ImportExportModelAdmin
from catalogue.frontmatter import plain_newlines
from catalogue.markdown import render
from catalogue.models import PUBLISHED, Status
from catalogue.search.staff import containing
from marketplace.adminsite.base import link_to, state_label
from marketplace.api.links import base_url

NEWEST = 10  # rows of each kind that an entry's page shows


class EntryAdmin(ImportExportModelAdmin):
    """What the admins of skills and personas share."""

    search_fields = ["slug"]  # and titles, tags, descriptions: see `find`
    search_help_text = "Slug, title, tag or description"
    list_filter = ["status", CategoryFilter, AuthorFilter, SourceFilter]
    ordering = ["-id"]
    prepopulated_fields = {"slug": ["title"]}
    formfield_overrides = {
        **ImportExportModelAdmin.formfield_overrides,
        models.TextField: {"form_class": FormTextField, "widget": FormTextField.widget},
    }
    actions = ["publish", "redraft", "withdraw", "deprecate", "end_deprecation", "export"]
    always_readonly = [
        *("status", "withdrawn_at", "withdrawal_reason", "deprecation_message", "replaced_by"),
        *("public_id", "context_tokens", "source", "created_at", "updated_at"),
    ]
    own_fields = []
    counters = []
    sorted_by = ["updated_at"]
    serializer_class = None
    in_totals = True
    change_list_template = "admin/catalogue/entries.html"
    change_form_template = "admin/catalogue/entry.html"

    def get_fieldsets(self, request, obj=None):
        about = ["title", "slug", "description", "category", "tags", "runtimes"]
        fieldsets = [
            (None, {"fields": [*about, *self.own_fields]}),
            ("Content", {"fields": ["content"], "classes": ["markdown"]}),
        ]
        if obj is None:
            return [*fieldsets, ("Origin", {"fields": ["author", "version", "license"]})]
        known = ["status", "withdrawal_reason"] if obj.is_recalled else ["status"]
        if obj.deprecation_message:
            known += ["deprecation_message", "replaced_by"]
        rows = ["context_tokens", "public_id", "created_at", "updated_at"]
        return [
            *fieldsets,
            ("Origin", {"fields": ["author", "version", "license", "source"]}),
            ("State", {"fields": [*known, *self.counters, *rows]}),
        ]

    def get_readonly_fields(self, request, obj=None):
        return [*self.counters, *self.always_readonly]

    def get_prepopulated_fields(self, request, obj=None):
        # Agents know an entry by its slug: a new title must not change it.
        return {} if obj else self.prepopulated_fields

    def get_sortable_by(self, request):
        """Columns that an index sorts: it holds published entries alone."""
        return self.sorted_by if request.GET.get("status__exact") == Status.PUBLISHED else []

    def find(self, queryset, term):
        """Entries with every word, as a whole or a prefix; or of a source, if it looks like one."""
        if "/" in term or ":" in term:
            return queryset.filter(~Q(source=""), source=term)
        return containing(queryset, term)

    def attention(self):
        drafts = self.model.objects.filter(~PUBLISHED, status=Status.DRAFT)
        name = self.opts.verbose_name_plural
        return [(f"{name} in draft", drafts, f"?status__exact={Status.DRAFT}")]

    @admin.display(description="status", ordering=None)
    def state(self, entry):
        if entry.is_published and entry.deprecation_message:
            return state_label("deprecated")
        return state_label("recalled" if entry.is_recalled else entry.status)

    @admin.display(description="successor", empty_value="None")
    def replaced_by(self, entry):
        """What agents are told of; who may not see a successor is not told of it."""
        successor = entry.successor
        if successor is None or successor.is_published:
            return successor
        return f"{successor} ({successor.status}, so nobody is told of it)"

    def save_model(self, request, obj, form, change):
        if not change:
            obj.save()
            return
        # Only what was edited: a counter may have moved since the form was opened.
        many_to_many = {field.name for field in obj._meta.many_to_many}
        if form.changed_data:
            self.snapshot_before_change(obj)
            changed = set(form.changed_data) | set(getattr(form, "followed", []))
            obj.save(update_fields=[*(changed - many_to_many), "updated_at"])

    # Publishing, withdrawing

    @admin.action(description="Publish", permissions=["change"])
    def publish(self, request, queryset):
        if not self.is_confirmed(request):
            return self.confirm(
                request, queryset, "publish", text="Agents will find and install what is published."
            )
        self.set_status(request, queryset, "Published.", self.model.publish)
        return None

    @admin.action(description="Back to draft", permissions=["change"])
    def redraft(self, request, queryset):
        if not self.is_confirmed(request):
            return self.confirm(
                request,
                queryset,
                "redraft",
                text="A draft is in no list and cannot be installed. Whoever has it keeps it.",
            )
        self.set_status(request, queryset, "Taken back to draft.", self.model.redraft)
        return None

    @admin.action(description="Withdraw or recall", permissions=["change"])
    def withdraw(self, request, queryset):
        form = RecallForm(request.POST if self.is_confirmed(request) else None)
        if not form.is_valid():
            return self.confirm(
                request,
                queryset,
                "withdraw",
                form=form,
                danger=True,
                text="What is withdrawn is in no list and cannot be installed any more. Whoever "
                "has it keeps it, and is told the reason if you give one.",
                facts=self.holders_of(queryset),
            )
        reason = form.cleaned_data["reason"]
        message = f"Recalled: {reason}" if reason else "Withdrawn."
        self.set_status(request, queryset, message, lambda entry: entry.withdraw(reason))
        return None

    @admin.action(description="Deprecate", permissions=["change"])
    def deprecate(self, request, queryset):
        data = request.POST if self.is_confirmed(request) else None
        form = DeprecationForm(data, entries=queryset)
        if not form.is_valid():
            return self.confirm(
                request,
                queryset,
                "deprecate",
                form=form,
                text="What is deprecated can be installed still. Its page, its lists and whoever "
                "has it show the message, and what to use instead.",
                facts=self.holders_of(queryset),
            )
        message, successor = form.cleaned_data["message"], form.cleaned_data["successor"]
        entries = self.change_each(
            request,
            queryset,
            f"Deprecated: {message}",
            lambda entry: entry.deprecate(message, successor),
        )
        self.message_user(request, f"{len(entries)} deprecated.")
        return None

    @admin.action(description="End the deprecation", permissions=["change"])
    def end_deprecation(self, request, queryset):
        if not self.is_confirmed(request):
            return self.confirm(
                request,
                queryset,
                "end_deprecation",
                text="Nothing will advise against it any more.",
            )
        entries = self.change_each(
            request, queryset, "Deprecated no more.", self.model.end_deprecation
        )
        self.message_user(request, f"{len(entries)} not deprecated any more.")
        return None

    def holders_of(self, entries):
        """How many agents have each entry itself, not with a persona."""
        kind = self.opts.model_name
        installs = self.model.agent_installs.rel.related_model.objects.present()
        counted = installs.filter(**{f"{kind}__in": entries}).order_by().values_list(kind)
        numbers = dict(counted.annotate(number=Count("pk")))
        return [(entry, in_agents(numbers.get(entry.pk, 0))) for entry in entries]

    def set_status(self, request, queryset, message, change):
        entries = self.change_each(request, queryset, message, change)
        statuses = " and ".join({entry.get_status_display().lower() for entry in entries})
        self.message_user(
            request, f"{len(entries)} set to {statuses}." if entries else "None left."
        )

    # Other pages

    def get_urls(self):
        wrap = self.admin_site.admin_view
        return [
            path("preview/", wrap(require_POST(self.preview_view)), name=self.url_name("preview")),
            path(
                "<path:object_id>/as-agent/",
                wrap(self.as_agent_view),
                name=self.url_name("as_agent"),
            ),
            *super().get_urls(),
        ]

    def preview_view(self, request):
        """The content of the form as HTML."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return HttpResponse(render(plain_newlines(request.POST.get("content", ""))))

    def as_agent_view(self, request, object_id):
        """The JSON that the API returns of the entry, or would return of a draft."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = self.get_row_or_404(request, object_id)
        entry = self.model.objects.in_detail().get(pk=row.pk)
        shown = self.serializer_class(entry, context={"base": base_url(request)}).data
        body = json.dumps(shown, indent=2, ensure_ascii=False)
        context = {
            **self.admin_site.each_context(request),
            "title": f"{entry} as an agent sees it",
            "opts": self.opts,
            "original": entry,
            "address": f"GET /api/v1/{self.opts.model_name}s/{entry.slug}",
            "body": body,
        }
        return TemplateResponse(request, "admin/catalogue/as_agent.html", context)

    def row_context(self, request, row):
        case = getattr(row, "case", None)
        return {
            "panels": self.panels(request, row),
            "preview": render(row.content),
            "case": case,
            "case_link": case and link_to(request, "reports.case", case.pk),
        }

    def is_offered(self, action, row):
        if action == "end_deprecation":
            return row.deprecation_message != ""
        resulting = {"publish": Status.PUBLISHED, "redraft": Status.DRAFT}
        return row.status != resulting.get(action)

    def panels(self, request, entry):
        """Who has the entry: the newest installs, and a link to all of them."""
        [(_, holders)] = self.holders_of([entry])
        installs = (
            entry.agent_installs.present()
            .select_related("agent")
            .only("installed_at", f"{self.opts.model_name}_id", "agent_id", "agent__handle")
        )
        return [
            {
                "title": f"{'Still held' if entry.is_recalled else 'Held'} by {holders}",
                "rows": [
                    (
                        install.agent.handle,
                        install.installed_at,
                        link_to(request, "agents.agent", install.agent_id),
                    )
                    for install in installs[:NEWEST]
                ],
                "all": reverse(f"admin:installs_{self.opts.model_name}install_changelist")
                + f"?{self.opts.model_name}__id__exact={entry.pk}&present=yes",
            }
        ]


def in_agents(number):
    return f"{number:,} agent{'' if number == 1 else 's'}"
