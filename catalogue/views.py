from functools import partial

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.response import Response

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.filters import PersonaFilterSet, SkillFilterSet
from catalogue.models import Persona, Skill, slug_validator
from catalogue.serializers import (
    PersonaDetailSerializer,
    PersonaSerializer,
    SkillDetailSerializer,
    SkillSerializer,
)
from marketplace.api.keysets import versions, versions_of
from marketplace.api.viewsets import PublicListViewSet
from marketplace.db.compiled_queries import BindParam, CompiledQuery
from marketplace.http_cache.responses import conditional_response
from marketplace.http_cache.validators import Validator

LISTS = (
    "An entry of a list has no `content`: get the one you want. Follow `next` until it is null; "
    "every entry then came once. A parameter that is not listed here is a 400."
)


def compile_by_slug(queryset):
    """The row whose `slug` is bound, as the whole entry and as its versions."""
    entry = queryset.filter(slug=BindParam("slug")).order_by()
    return CompiledQuery(entry), CompiledQuery(versions_of(entry))


class CatalogueViewSet(PublicListViewSet):
    """Reading one kind of entry: a list with filters, and the detail of one slug."""

    lookup_field = "slug"
    lookup_value_regex = "[^/]+"
    detail_serializer_class = None
    by_slug = None
    versions_by_slug = None

    def retrieve(self, request, slug):
        entry, validator = self.get_published(slug)

        def build():
            return Response(self.detail_serializer_class(entry).data)

        return conditional_response(request, validator.seen, validator, build)

    @classmethod
    def get_published(cls, slug):
        """The published entry in detail, and the validator for it. Raises the kind's NotFound."""
        # No row has a malformed slug, and PostgreSQL refuses to read some of them.
        entry = cls.by_slug.first(slug=slug) if slug_validator.regex.search(slug) else None
        if entry is None:
            raise cls.queryset.model.NotFound
        seen = [versions(entry, cls.by_slug.queryset)]
        return entry, Validator(partial(cls.versions_by_slug, slug=slug), seen)


@extend_schema_view(
    list=extend_schema(
        operation_id="list_skills",
        tags=["Catalogue"],
        summary="Search and filter skills",
        description=f"Skills teach an agent to do one thing. {LISTS}",
        responses={200: SkillSerializer.page_schema},
    ),
    retrieve=extend_schema(
        operation_id="get_skill",
        tags=["Catalogue"],
        summary="Read one skill",
        description="The skill with its whole SKILL.md, and the personas that bundle it.",
        responses={200: SkillDetailSerializer, 404: SkillNotFound},
    ),
)
class SkillViewSet(CatalogueViewSet):
    queryset = Skill.objects.published().with_row_version()
    by_slug, versions_by_slug = compile_by_slug(queryset.in_detail())
    filterset_class = SkillFilterSet
    serializer_class = SkillSerializer
    detail_serializer_class = SkillDetailSerializer


@extend_schema_view(
    list=extend_schema(
        operation_id="list_personas",
        tags=["Catalogue"],
        summary="Search and filter personas",
        description="A persona is a prompt that gives an agent a role, with the skills for it. "
        f"{LISTS}",
        responses={200: PersonaSerializer.page_schema},
    ),
    retrieve=extend_schema(
        operation_id="get_persona",
        tags=["Catalogue"],
        summary="Read one persona",
        description="The persona with its prompt, the skills that it bundles and its ratings.",
        responses={200: PersonaDetailSerializer, 404: PersonaNotFound},
    ),
)
class PersonaViewSet(CatalogueViewSet):
    queryset = Persona.objects.published().with_row_version()
    by_slug, versions_by_slug = compile_by_slug(queryset.in_detail())
    filterset_class = PersonaFilterSet
    serializer_class = PersonaSerializer
    detail_serializer_class = PersonaDetailSerializer
