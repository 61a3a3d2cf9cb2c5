"""The admins of skills and of personas."""

import io
from collections import Counter

from django.contrib import admin
from django.http import FileResponse, Http404
from django.template.defaultfilters import pluralize
from django.urls import reverse

from catalogue.admin.base import EntryAdmin
from catalogue.admin.filters import PriceFilter
from catalogue.admin.forms import PersonaForm, SkillForm
from catalogue.exceptions import FileNotFound
from catalogue.file_tree import file_tree
from catalogue.models import RATING_OR_ZERO, Persona, Skill
from catalogue.serializers.files import OTHER_FILE
from catalogue.serializers.personas import PersonaDetailSerializer
from catalogue.serializers.skills import SkillDetailSerializer
from importing.admin.frontmatter import WriteFrontmatterMixin
from importing.admin.importers import AdminPersonaImporter, AdminSkillImporter
from marketplace.adminsite.base import MenuItem, link_to
from marketplace.adminsite.panels import panel


@admin.register(Skill)
class SkillAdmin(WriteFrontmatterMixin, EntryAdmin):
    menu = MenuItem("Catalogue", 10, "extension")
    form = SkillForm
    actions = [*EntryAdmin.actions, "write_frontmatter"]
    list_display = ["slug", "title", "category", "state", "downloads", "author", "updated_at"]
    counters = ["downloads"]
    sorted_by = ["downloads", "updated_at"]
    importer_class = AdminSkillImporter
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
            (entry, f"{agents}; also bundled by {in_personas(bundles[entry.pk])}")
            if entry.pk in bundles
            else (entry, agents)
            for entry, agents in super().holders_of(entries)
        ]

    def get_urls(self):
        files = "<int:object_id>/files/<path:path>"
        of_version = "<int:object_id>/versions/<int:number>/files/<path:path>"
        return [
            self.page_path(files, self.file_view, "file"),
            self.page_path(of_version, self.file_view, "version_file"),
            *super().get_urls(),
        ]

    def file_view(self, request, object_id, path, number=None):
        """A file of a skill or, with a number, of that version: shown if it is text, or downloaded.

        A draft has files, too.
        """
        skill = folder = self.entry_with_versions(request, object_id)
        if number is not None:
            folder = self.version_of(skill, number)
        try:
            file = folder.file_at(path)
        except FileNotFound as error:
            raise Http404 from error
        if "download" in request.GET:
            name = path.rpartition("/")[2]
            data = io.BytesIO(folder.bytes_of(file))
            return FileResponse(data, as_attachment=True, filename=name, content_type=OTHER_FILE)
        text = folder.bytes_of(file).decode() if file["is_text"] else None
        title, template = f"{path} of {folder}", "admin/catalogue/file.html"
        return self.page(request, template, title, original=skill, file=file, text=text)

    def restorable_fields(self, request, row):
        fields = super().restorable_fields(request, row)
        return fields if row.number else [*fields, "files"]

    def row_context(self, request, row):
        address = self.url_of("change", row.pk).removesuffix("change/") + "files"
        tree = {"files": file_tree(row.files), "files_address": address}
        return super().row_context(request, row) | tree

    def panels(self, request, entry):
        personas = entry.personas.order_by("slug").only("slug", "title")
        return [
            *super().panels(request, entry),
            panel(
                "Bundled by",
                personas,
                lambda persona: (
                    persona.slug,
                    persona.title,
                    link_to(request, "catalogue.persona", persona.pk),
                ),
            ),
        ]


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
    list_filter = [*EntryAdmin.list_filter, PriceFilter]
    counters = ["installs", "rating_avg", "rating_count"]
    sorted_by = ["installs", "rating", "price", "updated_at"]
    autocomplete_fields = ["skills"]
    own_fields = ["price_cents", "skills"]
    importer_class = AdminPersonaImporter
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
                    (persona.slug, self.rating(persona), self.url_of("change", persona.pk))
                    for persona in best.only("slug", "rating_avg", "rating_count")[:8]
                ],
            }
        ]

    def panels(self, request, entry):
        reviews = entry.reviews.select_related("agent").only(
            *("rating", "hidden_at", "deleted_at", "persona_id", "agent_id", "agent__handle")
        )
        may_list = request.user.has_perm("reviews.view_review")
        url = reverse("admin:reviews_review_changelist")
        return [
            *super().panels(request, entry),
            panel(
                "Newest reviews",
                reviews,
                lambda review: (
                    review.agent.handle,
                    f"{review.rating}, {review.state}",
                    link_to(request, "reviews.review", review.pk),
                ),
                f"{url}?persona={entry.slug}" if may_list else "",
            ),
        ]
