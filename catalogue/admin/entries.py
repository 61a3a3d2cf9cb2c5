"""Writing, publishing and withdrawing skills and personas."""

import json
from collections import Counter

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from catalogue.admin.filters import AuthorFilter, CategoryFilter, PriceFilter, SourceFilter
from catalogue.admin.forms import FormTextField, PersonaForm, RecallForm, SkillForm, plain_newlines
from catalogue.admin.imports import ImportsAndExports
from catalogue.importing import files
from catalogue.markdown import render
from catalogue.models import PUBLISHED, RATING_OR_ZERO, Persona, Skill, Status
from catalogue.search.ranking import holding
from catalogue.serializers import PersonaDetailSerializer, SkillDetailSerializer
from marketplace.adminsite.base import link_to

NEWEST = 10  # rows that an entry's page shows of those who have it


class EntryAdmin(ImportsAndExports):
    """What the admins of skills and personas share."""

    search_fields = ["slug"]  # and titles, tags, descriptions: see `find`
    search_help_text = "Slug, title, tag or description"
    list_filter = ["status", CategoryFilter, AuthorFilter, SourceFilter]
    ordering = ["-id"]
    prepopulated_fields = {"slug": ["title"]}
    formfield_overrides = {
        **ImportsAndExports.formfield_overrides,
        models.TextField: {"form_class": FormTextField, "widget": FormTextField.widget},
    }
    actions = ["publish", "redraft", "withdraw", "export"]
    always_readonly = [
        *("status", "withdrawn_at", "withdrawal_reason"),
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
        rows = ["context_tokens", "public_id", "created_at", "updated_at"]
        return [
            *fieldsets,
            ("Origin", {"fields": ["author", "version", "license", "source"]}),
            ("State", {"fields": [*known, *self.counters, *rows]}),
        ]

    def get_readonly_fields(self, request, obj=None):
        return [*self.counters, *self.always_readonly]

    def get_prepopulated_fields(self, request, obj=None):
        # Agents know an entry by its slug: a new title must not move an old one.
        return {} if obj else self.prepopulated_fields

    def get_sortable_by(self, request):
        """Columns of which the index covers what is listed: only published entries have them."""
        return self.sorted_by if request.GET.get("status__exact") == Status.PUBLISHED else []

    def find(self, entries, term):
        """Those that hold every word, or words that begin so. What looks like a source is one."""
        if "/" in term or ":" in term:
            return entries.filter(~Q(source=""), source=term)
        return holding(entries, term)

    def attention(self):
        drafts = self.model.objects.filter(~PUBLISHED, status=Status.DRAFT)
        name = self.opts.verbose_name_plural
        return [(f"{name} in draft", drafts, f"?status__exact={Status.DRAFT}")]

    @admin.display(description="status", ordering=None)
    def state(self, entry):
        label = "recalled" if entry.is_recalled else entry.get_status_display().lower()
        return format_html('<span class="state state-{}">{}</span>', label, label)

    def save_model(self, request, obj, form, change):
        if not change:
            obj.save()
            return
        # Only what was edited: a counter that moved since the form was opened keeps its value.
        many_to_many = {field.name for field in obj._meta.many_to_many}
        if form.changed_data:
            self.keep_snapshot(obj)
            changed = set(form.changed_data) | set(getattr(form, "followed", []))
            obj.save(update_fields=[*(changed - many_to_many), "updated_at"])

    # Publishing, withdrawing

    @admin.action(description="Publish", permissions=["change"])
    def publish(self, request, queryset):
        if not self.is_confirmed(request):
            return self.confirm(
                request, queryset, "publish", text="Agents will find and install what is published."
            )
        self.change_each(request, queryset, "Published.", self.model.publish)
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
        self.change_each(request, queryset, "Taken back to draft.", self.model.redraft)
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
        said = f"Recalled: {reason}" if reason else "Withdrawn."
        self.change_each(request, queryset, said, lambda entry: entry.withdraw(reason))
        return None

    def holders_of(self, entries):
        """How many have each entry by itself; the skills of a persona come with it."""
        return [(entry, holders(entry)) for entry in entries]

    def change_each(self, request, queryset, said, change):
        entries = list(queryset.order_by("pk"))
        for entry in entries:
            with self.changing(request, entry, said):
                change(entry)
        self.message_user(
            request, f"{len(entries)} set to {entries[0].get_status_display().lower()}."
        )

    # Pages of their own

    def get_urls(self):
        name = f"catalogue_{self.opts.model_name}"
        wrap = self.admin_site.admin_view
        return [
            path("preview/", wrap(require_POST(self.preview)), name=f"{name}_preview"),
            path("<path:object_id>/as-agent/", wrap(self.as_agent), name=f"{name}_as_agent"),
            *super().get_urls(),
        ]

    def preview(self, request):
        """The content of the form as HTML."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return HttpResponse(render(plain_newlines(request.POST.get("content", ""))))

    def as_agent(self, request, object_id):
        """What GET answers an agent, in the same words; a draft's too."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        entry = self.get_object(request, unquote(object_id))
        if entry is None:
            raise Http404
        entry = self.model.objects.in_detail().get(pk=entry.pk)
        answer = json.dumps(self.serializer_class(entry).data, indent=2, ensure_ascii=False)
        context = {
            **self.admin_site.each_context(request),
            "title": f"{entry} as an agent sees it",
            "opts": self.opts,
            "original": entry,
            "address": f"GET /api/v1/{self.opts.model_name}s/{entry.slug}",
            "answer": answer,
        }
        return TemplateResponse(request, "admin/catalogue/as_agent.html", context)

    def around(self, request, row):
        return {"panels": self.panels(request, row), "preview": render(row.content)}

    def is_offered(self, action, row):
        reached = {"publish": Status.PUBLISHED, "redraft": Status.DRAFT}
        return row.status != reached.get(action)

    def panels(self, request, entry):
        """Who has the entry: the newest, with the way to all of them."""
        installs = entry.agent_installs.select_related("agent").only(
            "installed_at", f"{self.opts.model_name}_id", "agent_id", "agent__handle"
        )
        return [
            {
                "title": f"Installed by {holders(entry)}",
                "rows": [
                    (
                        install.agent.handle,
                        install.installed_at,
                        link_to(request, "agents.agent", install.agent_id),
                    )
                    for install in installs[:NEWEST]
                ],
                "all": reverse(f"admin:installs_{self.opts.model_name}install_changelist")
                + f"?{self.opts.model_name}__id__exact={entry.pk}",
            }
        ]


def holders(entry):
    number = entry.downloads if isinstance(entry, Skill) else entry.installs
    return f"{number:,} agent{'' if number == 1 else 's'}"


@admin.register(Skill)
class SkillAdmin(EntryAdmin):
    form = SkillForm
    list_display = ["slug", "title", "category", "state", "downloads", "author", "updated_at"]
    counters = ["downloads"]
    sorted_by = ["downloads", "updated_at"]
    importer_class = files.AdminSkillImport
    serializer_class = SkillDetailSerializer
    example = (
        "---\nname: pdf-tables\ndescription: Reads tables out of PDF files. Use it when …\n---\n\n"
        "# Instructions\n"
    )

    def holders_of(self, entries):
        bundles = Counter(
            Persona.skills.through.objects.filter(skill__in=entries).values_list(
                "skill_id", flat=True
            )
        )
        return [
            (entry, f"{said}, and comes with {bundles[entry.pk]} of the personas")
            if entry.pk in bundles
            else (entry, said)
            for entry, said in super().holders_of(entries)
        ]

    def panels(self, request, entry):
        personas = entry.personas.order_by("slug").only("slug", "title")
        return [
            *super().panels(request, entry),
            {
                "title": "Bundled by",
                "rows": [
                    (
                        persona.slug,
                        persona.title,
                        link_to(request, "catalogue.persona", persona.pk),
                    )
                    for persona in personas[:NEWEST]
                ],
            },
        ]


@admin.register(Persona)
class PersonaAdmin(EntryAdmin):
    form = PersonaForm
    list_display = [
        *("slug", "title", "category", "state", "price"),
        *("installs", "rating", "author", "updated_at"),
    ]
    list_filter = ["status", CategoryFilter, PriceFilter, AuthorFilter, SourceFilter]
    counters = ["installs", "rating_avg", "rating_count"]
    sorted_by = ["installs", "rating", "price", "updated_at"]
    autocomplete_fields = ["skills"]
    own_fields = ["price_cents", "skills"]
    importer_class = files.AdminPersonaImport
    serializer_class = PersonaDetailSerializer
    example = (
        "---\nname: archivist\ntitle: Archivist\nskills: [pdf-tables]\npriceCents: 0\n---\n\n"
        "You are an archivist …\n"
    )

    @admin.display(ordering="price_cents")
    def price(self, persona):
        return "free" if persona.is_free else f"{persona.price_cents / 100:,.2f}"

    @admin.display(ordering=RATING_OR_ZERO)
    def rating(self, persona):
        if not persona.rating_count:
            return "none"
        return f"{persona.rating_avg} ({persona.rating_count:,})"

    def rankings(self, request):
        best = Persona.objects.published().filter(rating_count__gt=0)
        best = best.order_by(RATING_OR_ZERO.desc(), "-id")
        return [
            {
                "title": "Personas by rating",
                "rows": [
                    (persona.slug, self.rating(persona), self.change_url(persona.pk))
                    for persona in best.only("slug", "rating_avg", "rating_count")[:8]
                ],
            }
        ]

    def panels(self, request, entry):
        reviews = entry.reviews.select_related("agent").only(
            "rating", "hidden_at", "persona_id", "agent_id", "agent__handle"
        )
        return [
            *super().panels(request, entry),
            {
                "title": "Newest reviews",
                "rows": [
                    (
                        review.agent.handle,
                        f"{review.rating}{', hidden' if review.hidden_at else ''}",
                        link_to(request, "reviews.review", review.pk),
                    )
                    for review in reviews[:NEWEST]
                ],
                "all": reverse("admin:reviews_review_changelist") + f"?persona={entry.slug}"
                if request.user.has_perm("reviews.view_review")
                else "",
            },
        ]
