"""The admins of skills and of personas."""

import re
from collections import Counter
from tempfile import TemporaryFile

from django.contrib import admin
from django.http import FileResponse, Http404
from django.template.defaultfilters import pluralize

from catalogue.admin import versions
from catalogue.admin.base import EntryAdmin
from catalogue.admin.filters import NeedsWorkFilter, PersonaNeedsWorkFilter, PriceFilter
from catalogue.admin.forms import PersonaForm, SkillForm
from catalogue.exceptions import FileNotFound
from catalogue.file_tree import file_tree
from catalogue.models import RATING_OR_ZERO, FileContent, Persona, Skill
from catalogue.serializers.files import OTHER_FILE
from catalogue.serializers.personas import PersonaDetailSerializer
from catalogue.serializers.skills import SkillDetailSerializer
from marketplace.adminsite.base import MenuItem, link_to
from marketplace.adminsite.pages import AdminPage
from marketplace.adminsite.panels import panel


def file_view(model_admin, request, object_id, path, number=None):
    """A file of a skill or, with a number, of that version: shown if it is text, or downloaded.

    A draft has files, too.
    """
    skill = folder = model_admin.get_row_or_404(request, object_id)
    if number is not None:
        folder = versions.version_of(skill, number)
    try:
        file = folder.file_at(path)
    except FileNotFound as error:
        raise Http404 from error
    if "download" in request.GET:
        name = path.rpartition("/")[2]
        data = TemporaryFile()  # noqa: SIM115 (the response closes it)
        folder.write_file(file, data)
        data.seek(0)
        return FileResponse(data, as_attachment=True, filename=name, content_type=OTHER_FILE)
    text = folder.shown_text(file)
    title, template = f"{path} of {folder}", "admin/catalogue/file.html"
    return model_admin.page(request, template, title, original=skill, file=file, text=text)


def changes_files(request):
    """Whether a row of a file has a value."""
    rows = {key: value for key, value in request.POST.items() if re.match(r"files-\d", key)}
    return bool(request.FILES or any(rows.values()))


def bundled_by(_admin, request, skill):
    return panel(
        "Bundled by",
        skill.personas.order_by("slug").only("slug", "title"),
        lambda persona: (
            persona.slug,
            persona.title,
            link_to(request, "catalogue.persona", persona.pk),
        ),
    )


@admin.register(Skill)
class SkillAdmin(EntryAdmin):
    menu = MenuItem("Catalogue", 10, "extension")
    form = SkillForm
    pages = [
        *EntryAdmin.pages,
        AdminPage("<int:object_id>/files/<path:path>", "file", file_view),
        AdminPage(f"{versions.PLACE}<int:number>/files/<path:path>", "version_file", file_view),
    ]
    panels = [bundled_by]
    list_display = ["slug", "title", "category", "state", "downloads", "author", "updated_at"]
    texts = [*EntryAdmin.texts, "files"]
    counters = ["downloads"]
    sorted_by = ["downloads", "updated_at"]
    serializer_class = SkillDetailSerializer

    def holders_of(self, entries):
        bundles = Counter(
            Persona.skills.through.objects.filter(skill__in=entries).values_list(
                "skill_id", flat=True
            )
        )
        return [
            (entry, f"{agents}; also bundled by {in_personas(bundles[entry.pk])}")
            if entry.pk in bundles
            else (entry, agents)
            for entry, agents in super().holders_of(entries)
        ]

    def _changeform_view(self, request, object_id, form_url, extra_context):
        if request.method == "POST" and changes_files(request):
            FileContent.objects.take_turn()  # before the lock of the row, as imports do
        return super()._changeform_view(request, object_id, form_url, extra_context)

    def text_of(self, row):
        address = self.url_of("change", row.pk).removesuffix("change/") + "files"
        tree = {"files": file_tree(row.files), "files_address": address}
        return super().text_of(row) | tree


def in_personas(number):
    return f"{number:,} persona{pluralize(number)}"


@admin.register(Persona)
class PersonaAdmin(EntryAdmin):
    menu = MenuItem("Catalogue", 11, "theater_comedy")
    form = PersonaForm
    list_display = [
        *("slug", "title", "category", "state", "price"),
        *("installs", "rating", "author", "updated_at"),
    ]
    list_filter = [
        *(
            PersonaNeedsWorkFilter if part is NeedsWorkFilter else part
            for part in EntryAdmin.list_filter
        ),
        PriceFilter,
    ]
    counters = ["installs", "rating_avg", "rating_count"]
    sorted_by = ["installs", "rating", "price", "updated_at"]
    autocomplete_fields = ["skills"]
    own_fields = ["price_cents", "skills"]
    more_fieldsets = [("Frontmatter", {"fields": ["frontmatter", "tools"]})]
    texts = [*EntryAdmin.texts, "frontmatter"]
    others = "labels, price and skills"
    serializer_class = PersonaDetailSerializer

    def formfield_for_manytomany(self, db_field, request, **options):
        field = super().formfield_for_manytomany(db_field, request, **options)
        if field:
            # Otherwise the theme puts a button that removes all into a list, beside its items.
            field.widget.is_required = True
        return field

    def get_readonly_fields(self, request, obj=None):
        return [*super().get_readonly_fields(request, obj), "tools"]

    @admin.display(description="tools")
    def tools(self, persona):
        return "all" if persona.tools is None else ", ".join(persona.tools) or "none"

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
                    (persona.slug, self.rating(persona), self.url_of("change", persona.pk))
                    for persona in best.only("slug", "rating_avg", "rating_count")[:8]
                ],
            }
        ]
