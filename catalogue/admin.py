import json
from collections import Counter
from tempfile import TemporaryFile

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import connection, models
from django.db.models import Q
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from catalogue import files
from catalogue.forms import (
    FormTextField,
    PersonaForm,
    RecallForm,
    SkillForm,
    UploadForm,
    plain_newlines,
)
from catalogue.frontmatter import Refused
from catalogue.markdown import render
from catalogue.models import PUBLISHED, RATING_OR_ZERO, ImportRun, Persona, Skill, Status
from catalogue.search import holding
from catalogue.serializers import PersonaDetailSerializer, SkillDetailSerializer
from marketplace import theme
from marketplace.admin import DeskAdmin, ReadOnlyAdmin, link_to

NEWEST = 10  # rows that an entry's page shows of those who have it
MOST_REFUSALS = 50  # that an import keeps


def published_and_others(entries, **conditions):
    """The entries that meet these conditions, by the indexes of both halves of the table."""
    return entries.filter(Q(PUBLISHED, **conditions) | Q(~PUBLISHED, **conditions))


class CategoryFilter(admin.SimpleListFilter):
    title = parameter_name = "category"

    # The next category in the index after the last one: as many steps as there are categories,
    # and not as many as there are entries.
    CATEGORIES = """
        WITH RECURSIVE found AS (
            (SELECT category FROM {table} WHERE {half} ORDER BY category LIMIT 1)
            UNION ALL
            SELECT (SELECT category FROM {table}
                    WHERE {half} AND category > found.category ORDER BY category LIMIT 1)
            FROM found WHERE found.category IS NOT NULL
        )
        SELECT category FROM found WHERE category <> '' LIMIT 100
    """

    def lookups(self, request, model_admin):
        table = model_admin.opts.db_table
        halves = ["status = 'published'", "NOT status = 'published'"]
        sql = " UNION ".join(
            f"({self.CATEGORIES.format(table=table, half=half)})" for half in halves
        )
        with connection.cursor() as cursor:
            cursor.execute(f"{sql} ORDER BY category")
            return [(category, category) for (category,) in cursor.fetchall()]

    def queryset(self, request, queryset):
        if self.value():
            return published_and_others(queryset, category=self.value())
        return queryset


class AuthorFilter(theme.TextFilter):
    title = parameter_name = "author"

    def queryset(self, request, queryset):
        if self.value():
            return published_and_others(queryset, author=self.value().strip())
        return queryset


class SourceFilter(admin.SimpleListFilter):
    """Where an entry came from, among the newest: no index tells, and none is worth an install."""

    NEWEST = 10_000
    title = f"source, of the newest {NEWEST:,}"
    parameter_name = "source"

    def lookups(self, request, model_admin):
        return [
            ("hand", "written here"),
            ("desk", "imported here"),
            ("other", "imported elsewhere"),
        ]

    def queryset(self, request, queryset):
        here = Q(source__startswith=f"{files.SOURCE}:")
        wanted = {"hand": Q(source=""), "desk": here, "other": ~here & ~Q(source="")}
        if self.value() not in wanted:
            return queryset
        ids = queryset.model.objects.order_by("-pk").values_list("pk", flat=True)
        oldest = ids[self.NEWEST - 1 : self.NEWEST].first() or 0
        return queryset.filter(wanted[self.value()], pk__gte=oldest)


class PriceFilter(admin.SimpleListFilter):
    title = parameter_name = "price"

    def lookups(self, request, model_admin):
        return [("free", "free"), ("priced", "with a price")]

    def queryset(self, request, queryset):
        if self.value() == "free":
            return published_and_others(queryset, price_cents=0)
        if self.value() == "priced":
            return published_and_others(queryset, price_cents__gt=0)
        return queryset


class EntryAdmin(DeskAdmin):
    """What the desks of skills and personas share."""

    search_fields = ["slug"]  # and titles, tags, descriptions: see `find`
    search_help_text = "Slug, title, tag or description"
    list_filter = ["status", CategoryFilter, AuthorFilter, SourceFilter]
    ordering = ["-id"]
    prepopulated_fields = {"slug": ["title"]}
    formfield_overrides = {
        **DeskAdmin.formfield_overrides,
        models.TextField: {"form_class": FormTextField, "widget": FormTextField.widget},
    }
    actions = ["publish", "redraft", "withdraw", "export"]
    always_readonly = [
        *("status", "withdrawn_at", "withdrawal_reason"),
        *("public_id", "context_tokens", "source", "created_at", "updated_at"),
    ]
    counters = []
    sorted_by = ["updated_at"]
    importer_class = None
    serializer_class = None
    in_totals = True
    change_list_template = "admin/catalogue/entries.html"
    change_form_template = "admin/catalogue/entry.html"

    def get_fieldsets(self, request, obj=None):
        known = ["status", "withdrawal_reason"] if obj and obj.is_recalled else ["status"]
        about = ["title", "slug", "description", "category", "tags", "runtimes"]
        origin = (
            ["author", "version", "license", "source"]
            if obj
            else [*("author", "version", "license")]
        )
        return [
            (None, {"fields": [*about, *self.own_fields]}),
            ("Content", {"fields": ["content"], "classes": ["markdown"]}),
            ("Origin", {"fields": origin}),
            *(
                [
                    (
                        "State",
                        {
                            "fields": [
                                *(*known, *self.counters, "context_tokens"),
                                *("public_id", "created_at", "updated_at"),
                            ]
                        },
                    )
                ]
                if obj
                else []
            ),
        ]

    own_fields = []

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
        many_to_many = {field.name for field in obj._meta.many_to_many}  # noqa: SLF001
        if form.changed_data:
            self.keep_found(obj)
            changed = set(form.changed_data) | set(getattr(form, "followed", []))
            obj.save(update_fields=[*(changed - many_to_many), "updated_at"])

    # Publishing, withdrawing

    @admin.action(description="Publish", permissions=["change"])
    def publish(self, request, queryset):
        if not self.is_confirmed(request):
            return self.ask(
                request, queryset, "publish", text="Agents will find and install what is published."
            )
        self.change_each(request, queryset, "Published.", self.model.publish)
        return None

    @admin.action(description="Back to draft", permissions=["change"])
    def redraft(self, request, queryset):
        if not self.is_confirmed(request):
            return self.ask(
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
            return self.ask(
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
            path("import/", wrap(self.upload), name=f"{name}_import"),
            path("import/<int:run_id>/", wrap(self.review_upload), name=f"{name}_import_run"),
            path("export/", wrap(self.export_all), name=f"{name}_export"),
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

    # Import and export

    @admin.action(description="Export as files", permissions=["view"])
    def export(self, request, queryset):
        return self.zip_of(queryset)

    def export_all(self, request):
        if not self.has_view_permission(request):
            raise PermissionDenied
        return self.zip_of(self.model.objects.all())

    def zip_of(self, entries):
        # The answer closes it.
        file = TemporaryFile()  # noqa: SIM115
        files.export(entries, file)
        file.seek(0)
        name = f"{self.opts.model_name}s-{timezone.now():%Y-%m-%d}.zip"
        return FileResponse(file, as_attachment=True, filename=name)

    def upload(self, request):
        """Take a file, and show what it would do."""
        self.check_may_import(request)
        form = UploadForm(request.POST or None, request.FILES or None)
        if form.is_valid():
            run = self.keep_upload(request, form)
            if run is not None:
                return redirect(f"admin:catalogue_{self.opts.model_name}_import_run", run.pk)
        context = {
            **self.admin_site.each_context(request),
            "title": f"Import {self.opts.verbose_name_plural}",
            "opts": self.opts,
            "form": form,
            "example": self.example,
        }
        return TemplateResponse(request, "admin/catalogue/upload.html", context)

    def check_may_import(self, request):
        if not (self.has_add_permission(request) and self.has_change_permission(request)):
            raise PermissionDenied

    def keep_upload(self, request, form):
        """The upload with its preview to come, or None where it is refused as a whole."""
        file = form.cleaned_data["file"]
        run = ImportRun(
            kind=self.opts.model_name,
            name=file.name[-200:],
            draft=form.cleaned_data["draft"],
            user=request.user,
        )
        # What others left at its preview is not wanted any more.
        ImportRun.objects.filter(
            finished_at=None, created_at__lt=timezone.now() - timezone.timedelta(days=1)
        ).update(data=None, finished_at=timezone.now())
        try:
            run.data = file.read(files.MAX_UPLOAD + 1)
            with files.unpacked(run.name, run.data, self.importer_class(keep=False)):
                pass
        except Refused as error:
            run.data, run.finished_at = None, timezone.now()
            run.refused, run.refusals = 1, [[run.name, str(error)]]
            form.add_error("file", str(error))
            run.save()
            return None
        run.save()
        return run

    def review_upload(self, request, run_id):
        """What an upload would do; posted, it does it."""
        self.check_may_import(request)
        run = get_object_or_404(ImportRun, pk=run_id, kind=self.opts.model_name)
        if run.finished_at or run.data is None:
            raise Http404
        if request.method == "POST" and "cancel" in request.POST:
            run.delete()
            return redirect(f"admin:catalogue_{self.opts.model_name}_import")
        keep = request.method == "POST"
        importer = self.importer_class(keep=keep, draft=run.draft)
        with files.unpacked(run.name, bytes(run.data), importer) as root:
            outcomes = importer.run(root)
        if keep:
            self.finish(request, run, outcomes)
            return redirect("admin:catalogue_importrun_change", run.pk)
        by_kind = {
            kind: [outcome for outcome in outcomes if outcome.kind == kind]
            for kind in ("refused", "created", "updated", "unchanged")
        }
        context = {
            **self.admin_site.each_context(request),
            "title": f"Preview of {run.name}",
            "opts": self.opts,
            "run": run,
            "outcomes": by_kind,
            "will_change": bool(by_kind["created"] or by_kind["updated"]),
        }
        return TemplateResponse(request, "admin/catalogue/preview.html", context)

    def finish(self, request, run, outcomes):
        message = f"Imported from {run.name}."
        for outcome in outcomes:
            if outcome.kind == "created":
                self.log_addition(request, outcome.entry, message)
            if outcome.kind == "updated":
                self.log_change(request, outcome.entry, message)
        refused = [outcome for outcome in outcomes if outcome.kind == "refused"]
        kinds = [outcome.kind for outcome in outcomes]
        run.created, run.updated, run.unchanged, run.refused = (
            kinds.count(kind) for kind in ("created", "updated", "unchanged", "refused")
        )
        run.refusals = [[each.path, each.reason] for each in refused[:MOST_REFUSALS]]
        run.data, run.finished_at = None, timezone.now()
        run.save()


def holders(entry):
    number = entry.downloads if isinstance(entry, Skill) else entry.installs
    return f"{number:,} agent{'' if number == 1 else 's'}"


@admin.register(Skill)
class SkillAdmin(EntryAdmin):
    form = SkillForm
    list_display = ["slug", "title", "category", "state", "downloads", "author", "updated_at"]
    counters = ["downloads"]
    sorted_by = ["downloads", "updated_at"]
    importer_class = files.DeskSkillImport
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
    importer_class = files.DeskPersonaImport
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


@admin.register(ImportRun)
class ImportRunAdmin(ReadOnlyAdmin):
    list_display = ["name", "kind", "user", "created_at", "outcome"]
    search_fields = ["name"]  # see `find`
    search_help_text = "Start of a file's name"
    list_select_related = ["user"]
    list_filter = ["kind"]
    fields = readonly_fields = [
        *("name", "kind", "user", "created_at", "finished_at", "draft"),
        *("created", "updated", "unchanged", "refused", "refused_files"),
    ]

    def get_queryset(self, request):
        return super().get_queryset(request).defer("data")

    def find(self, runs, term):
        return runs.filter(name__istartswith=term)

    def attention(self):
        week = timezone.now() - timezone.timedelta(days=7)
        refused = ImportRun.objects.filter(refused__gt=0, created_at__gte=week)
        return [("imports of this week with refused files", refused, "")]

    @admin.display
    def outcome(self, run):
        if run.finished_at is None:
            return "waits at its preview"
        return (
            f"{run.created} created, {run.updated} updated, {run.unchanged} unchanged, "
            f"{run.refused} refused"
        )

    @admin.display
    def refused_files(self, run):
        return "\n".join(f"{path}: {reason}" for path, reason in run.refusals) or "none"
