"""The versions of an entry: all, or one with its text and its files (contract 25)."""

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action

from catalogue import reads
from catalogue.exceptions import FileNotFound, SkillNotFound, VersionNotFound
from catalogue.list_queries import VersionQuery
from catalogue.models import Persona, Skill
from catalogue.serializers.fields import SkillMdField
from catalogue.serializers.files import FILE, ZIP, archive_of, download_of
from catalogue.serializers.versions import (
    PersonaVersionSerializer,
    SkillVersionSerializer,
    VersionPageSerializer,
    VersionSerializer,
)
from marketplace.api.responses import cacheable_response, public_response
from marketplace.api.viewsets import CatalogueListViewSet


@extend_schema(tags=["Catalogue"])
class VersionViewSet(CatalogueListViewSet):
    lookup_field = "number"
    lookup_value_regex = "[^/]+"
    query_class = VersionQuery
    serializer_class = VersionSerializer
    detail_serializer = None
    versions = None

    def list(self, request, slug):
        page = self.versions.page(VersionQuery(self.query, slug=slug))
        return self.page_response(request, page)

    def retrieve(self, request, slug, number):
        read = self.versions.one(slug, number, reads.with_content)
        return cacheable_response(request, read, self.detail_serializer)


def described(model, serializer):
    """Describes the versions of one kind of entry in OpenAPI."""
    return extend_schema_view(
        list=extend_schema(
            operation_id=f"list_{model.kind}_versions",
            summary=f"List the versions of a {model.kind}",
            description="Every published text is a version: 1, 2, 3 … A version never changes. The "
            "newest comes first. Follow `next` until it is null.",
            responses={200: VersionPageSerializer, 404: model.NotFound},
        ),
        retrieve=extend_schema(
            operation_id=f"get_{model.kind}_version",
            summary=f"Get a version of a {model.kind}",
            description="One version as it was published. A recalled version is a 404.",
            responses={200: serializer, 404: (model.NotFound, VersionNotFound)},
        ),
    )


@described(Skill, SkillVersionSerializer)
class SkillVersionViewSet(VersionViewSet):
    detail_serializer = SkillVersionSerializer
    versions = reads.skill_versions
    actions_for_people = ["skill_md", "file", "archive"]

    @extend_schema(
        operation_id="get_skill_version_md",
        summary="Download the SKILL.md of a version",
        description="The SKILL.md of this version.",
        responses={(200, "text/markdown"): SkillMdField, 404: (SkillNotFound, VersionNotFound)},
    )
    @action(detail=True, url_path=r"SKILL\.md")
    def skill_md(self, _request, slug, number):
        text, validator, _ = self.versions.one(slug, number, lambda version: version.file_text)
        return public_response(text, validator, content_type="text/markdown; charset=utf-8")

    @extend_schema(
        operation_id="get_skill_version_file",
        summary="Download a file of a version",
        description="The bytes of the file.",
        responses={**FILE, 404: (SkillNotFound, VersionNotFound, FileNotFound)},
    )
    @action(detail=True, url_path=r"files/(?P<path>[\s\S]+?)")
    def file(self, request, slug, number, path):
        def respond(version):
            return download_of(version, version.file_at(path)).response_to(request)

        return self.versions.one(slug, number, respond).value

    @extend_schema(
        operation_id="get_skill_version_archive",
        summary="Download a version of a skill as a zip",
        description="The SKILL.md and all files of the version. Unpack them into a folder with "
        "the skill's name.",
        responses={**ZIP, 404: (SkillNotFound, VersionNotFound)},
    )
    @action(detail=True, url_path=r"archive\.zip")
    def archive(self, request, slug, number):
        def respond(version):
            return archive_of(version).response_to(request)

        return self.versions.one(slug, number, respond).value


@described(Persona, PersonaVersionSerializer)
class PersonaVersionViewSet(VersionViewSet):
    detail_serializer = PersonaVersionSerializer
    versions = reads.persona_versions
