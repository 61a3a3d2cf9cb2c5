from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action

from catalogue import reads
from catalogue.exceptions import FileNotFound, PersonaNotFound, SkillNotFound
from catalogue.serializers.files import FILE, ZIP, archive_of, download_of
from catalogue.serializers.personas import PersonaDetailSerializer
from catalogue.serializers.skills import SkillDetailSerializer
from marketplace.api.fields import DigestField
from marketplace.api.responses import cacheable_response
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
        summary="Get a skill",
        description="One skill with its whole SKILL.md and the personas that bundle it.",
        responses={200: SkillDetailSerializer, 404: SkillNotFound},
    )
    def retrieve(self, request, slug):
        return cacheable_response(request, reads.skill(slug), SkillDetailSerializer)

    @extend_schema(
        operation_id="get_skill_file",
        summary="Download a file of a skill",
        description="The bytes of the file. With `digest` they never change: if the file now has "
        "another digest, the response is a 404.",
        parameters=[
            OpenApiParameter(
                "digest", DigestField().schema, description="The `digest` that the file must have."
            )
        ],
        responses={**FILE, 404: (SkillNotFound, FileNotFound)},
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
        summary="Download a skill as a zip",
        description="The SKILL.md and all files of the skill. Unpack them into a folder with the "
        "skill's name. The same `digest` always gives the same bytes.",
        responses={**ZIP, 404: SkillNotFound},
    )
    @action(detail=True, url_path=r"archive\.zip")
    def archive(self, request, slug):
        return reads.with_skill(slug, lambda skill: archive_of(skill).response_to(request))


class PersonaViewSet(EntryViewSet):
    @extend_schema(
        operation_id="get_persona",
        tags=["Catalogue"],
        summary="Get a persona",
        description="One persona with its prompt, the skills it bundles and its ratings.",
        responses={200: PersonaDetailSerializer, 404: PersonaNotFound},
    )
    def retrieve(self, request, slug):
        return cacheable_response(request, reads.rated_persona(slug), PersonaDetailSerializer)
