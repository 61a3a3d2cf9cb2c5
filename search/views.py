from drf_spectacular.utils import extend_schema

from catalogue.serializers.personas import PersonaSerializer
from catalogue.serializers.skills import SkillSerializer
from marketplace.api.responses import cached
from marketplace.api.viewsets import CatalogueListViewSet, CatalogueViewSet
from marketplace.ratelimits.client_address import client_address
from search import reads
from search.filters import FacetFilterSet, PersonaFilterSet, SkillFilterSet
from search.serializers import FacetsSerializer, PersonaPageSerializer, SkillPageSerializer

LISTS = (
    "An entry of a list has no `content`: get the one you want. Follow `next` until it is null; "
    "every entry then came once. A parameter that is not listed here is a 400."
)


class SkillListViewSet(CatalogueListViewSet):
    filterset_class = SkillFilterSet
    serializer_class = SkillSerializer

    @extend_schema(
        operation_id="list_skills",
        tags=["Catalogue"],
        summary="Search and filter skills",
        description=f"Skills teach an agent to do one thing. {LISTS}",
        responses={200: SkillPageSerializer},
    )
    def list(self, request):
        rows = reads.skills(SkillFilterSet(self.query), client_address(request))
        return self.cached_page(request, rows)


class PersonaListViewSet(CatalogueListViewSet):
    filterset_class = PersonaFilterSet
    serializer_class = PersonaSerializer

    @extend_schema(
        operation_id="list_personas",
        tags=["Catalogue"],
        summary="Search and filter personas",
        description="A persona is a prompt that gives an agent a role, with the skills for it. "
        f"{LISTS}",
        responses={200: PersonaPageSerializer},
    )
    def list(self, request):
        rows = reads.personas(PersonaFilterSet(self.query), client_address(request))
        return self.cached_page(request, rows)


class FacetViewSet(CatalogueViewSet):
    filterset_class = FacetFilterSet

    @extend_schema(
        operation_id="list_facets",
        tags=["Catalogue"],
        summary="Read what there is to filter by",
        description="The values of each filter with the number of published entries that have "
        "them, most common first, at most 100 each.",
        responses={200: FacetsSerializer},
    )
    def list(self, request):
        kind = self.filterset_class(self.query).values["kind"]
        return cached(request, reads.most_common(kind, FacetsSerializer.facets), FacetsSerializer)
