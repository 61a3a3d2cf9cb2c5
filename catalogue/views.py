from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action

from catalogue import reads
from catalogue.exceptions import FileNotFound, PersonaNotFound, SkillNotFound
from catalogue.serializers.fields import BytesField
from catalogue.serializers.files import OTHER_FILE, TEXT_FILE, archive_of, download_of
from catalogue.serializers.personas import PersonaDetailSerializer
from catalogue.serializers.skills import SkillDetailSerializer
from marketplace.api.exceptions import RangeNotSatisfiable
from marketplace.api.fields import DigestField
from marketplace.api.responses import cached
from marketplace.api.viewsets import CatalogueViewSet

# For a URL with a digest.
IMMUTABLE = "public, max-age=31536000, immutable"


class EntryViewSet(CatalogueViewSet):
    """One entry by its slug. The lists are in search/views.py."""

    lookup_field = "slug"
    lookup_value_regex = "[^/]+"


@extend_schema(tags=["Catalogue"])
class SkillViewSet(EntryViewSet):
    actions_for_people = ["file", "archive"]

    @extend_schema(
        operation_id="get_skill",
        summary="Read one skill",
        description="The skill with its whole SKILL.md, and the personas that bundle it.",
        responses={200: SkillDetailSerializer, 404: SkillNotFound},
    )
    def retrieve(self, request, slug):
        return cached(request, reads.skill(slug), SkillDetailSerializer)

    @extend_schema(
        operation_id="get_skill_file",
        summary="Read one file of a skill",
        description="Its bytes, to be stored rather than shown. With `digest` they never change: "
        "where the file has another one by now, this is a 404.",
        parameters=[
            OpenApiParameter(
                "digest", DigestField().schema, description="The `digest` that the file must have."
            )
        ],
        responses={
            (200, OTHER_FILE, TEXT_FILE): BytesField,
            (206, OTHER_FILE, TEXT_FILE): BytesField,
            404: (SkillNotFound, FileNotFound),
            416: RangeNotSatisfiable,
        },
    )
    @action(detail=True, url_path=r"files/(?P<path>[\s\S]+?)")
    def file(self, request, slug, path):
        def respond(skill):
            file = skill.file_at(path)
            if "digest" in self.query:
                if self.query["digest"] != [file["digest"]]:
                    raise FileNotFound
                self.headers = {"Cache-Control": IMMUTABLE}
            return download_of(skill, file).response_to(request)

        return reads.with_skill(slug, respond)

    @extend_schema(
        operation_id="get_skill_archive",
        summary="Read a skill as a zip",
        description="What to unpack into a folder of the skill's name: its SKILL.md and its files. "
        "The bytes are the same everywhere for the same `digest` of the skill.",
        responses={
            (200, "application/zip"): BytesField,
            (206, "application/zip"): BytesField,
            404: SkillNotFound,
            416: RangeNotSatisfiable,
        },
    )
    @action(detail=True, url_path=r"archive\.zip")
    def archive(self, request, slug):
        return reads.with_skill(slug, lambda skill: archive_of(skill).response_to(request))


class PersonaViewSet(EntryViewSet):
    @extend_schema(
        operation_id="get_persona",
        tags=["Catalogue"],
        summary="Read one persona",
        description="The persona with its prompt, the skills that it bundles and its ratings.",
        responses={200: PersonaDetailSerializer, 404: PersonaNotFound},
    )
    def retrieve(self, request, slug):
        return cached(request, reads.rated_persona(slug), PersonaDetailSerializer)
