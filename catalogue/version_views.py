"""The versions of an entry: all, or one with its text and its files (contract 25)."""

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action

from catalogue import reads
from catalogue.exceptions import (
    FileNotFound,
    PersonaNotFound,
    SkillNotFound,
    VersionNotFound,
)
from catalogue.filters import VersionQuery
from catalogue.serializers.fields import BytesField, SkillMdField
from catalogue.serializers.files import OTHER_FILE, TEXT_FILE, archive_of, download_of
from catalogue.serializers.versions import (
    PersonaVersionSerializer,
    SkillVersionSerializer,
    VersionPageSerializer,
    VersionSerializer,
)
from marketplace.api.exceptions import RangeNotSatisfiable
from marketplace.api.responses import cached, public_response
from marketplace.api.viewsets import CatalogueListViewSet

LIST = (
    "Every published text is a version: 1, 2, 3 … A version never changes. The newest comes "
    "first. Follow `next` until it is null."
)
ONE = "One version as it was published. A recalled version is a 404."


@extend_schema(tags=["Catalogue"])
class VersionViewSet(CatalogueListViewSet):
    lookup_field = "number"
    lookup_value_regex = "[^/]+"
    query_class = VersionQuery
    serializer_class = VersionSerializer
    detail_serializer = None
    reads = None

    def list(self, request, slug):
        page = self.reads.page(VersionQuery(self.query, slug=slug))
        return self.cached_page(request, page)

    def retrieve(self, request, slug, number):
        read = self.reads.one(slug, number, reads.with_content)
        return cached(request, read, self.detail_serializer)


@extend_schema_view(
    list=extend_schema(
        operation_id="list_skill_versions",
        summary="List the versions of a skill",
        description=LIST,
        responses={200: VersionPageSerializer, 404: SkillNotFound},
    ),
    retrieve=extend_schema(
        operation_id="get_skill_version",
        summary="Get a version of a skill",
        description=ONE,
        responses={200: SkillVersionSerializer, 404: (SkillNotFound, VersionNotFound)},
    ),
)
class SkillVersionViewSet(VersionViewSet):
    detail_serializer = SkillVersionSerializer
    reads = reads.skill_versions
    actions_for_people = ["skill_md", "file", "archive"]

    @extend_schema(
        operation_id="get_skill_version_md",
        summary="Download the SKILL.md of a version",
        description="The SKILL.md of this version.",
        responses={(200, "text/markdown"): SkillMdField, 404: (SkillNotFound, VersionNotFound)},
    )
    @action(detail=True, url_path=r"SKILL\.md")
    def skill_md(self, _request, slug, number):
        text, validator, _ = self.reads.one(slug, number, lambda version: version.file_text)
        return public_response(text, validator, content_type="text/markdown; charset=utf-8")

    @extend_schema(
        operation_id="get_skill_version_file",
        summary="Download a file of a version",
        description="The bytes of the file.",
        responses={
            (200, OTHER_FILE, TEXT_FILE): BytesField,
            (206, OTHER_FILE, TEXT_FILE): BytesField,
            404: (SkillNotFound, VersionNotFound, FileNotFound),
            416: RangeNotSatisfiable,
        },
    )
    @action(detail=True, url_path=r"files/(?P<path>[\s\S]+?)")
    def file(self, request, slug, number, path):
        def respond(version):
            return download_of(version, version.file_at(path)).response_to(request)

        return self.reads.one(slug, number, respond).value

    @extend_schema(
        operation_id="get_skill_version_archive",
        summary="Download a version of a skill as a zip",
        description="The SKILL.md and all files of the version. Unpack them into a folder with "
        "the skill's name.",
        responses={
            (200, "application/zip"): BytesField,
            (206, "application/zip"): BytesField,
            404: (SkillNotFound, VersionNotFound),
            416: RangeNotSatisfiable,
        },
    )
    @action(detail=True, url_path=r"archive\.zip")
    def archive(self, request, slug, number):
        def respond(version):
            return archive_of(version).response_to(request)

        return self.reads.one(slug, number, respond).value


@extend_schema_view(
    list=extend_schema(
        operation_id="list_persona_versions",
        summary="List the versions of a persona",
        description=LIST,
        responses={200: VersionPageSerializer, 404: PersonaNotFound},
    ),
    retrieve=extend_schema(
        operation_id="get_persona_version",
        summary="Get a version of a persona",
        description=ONE,
        responses={200: PersonaVersionSerializer, 404: (PersonaNotFound, VersionNotFound)},
    ),
)
class PersonaVersionViewSet(VersionViewSet):
    detail_serializer = PersonaVersionSerializer
    reads = reads.persona_versions
