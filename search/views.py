from drf_spectacular.utils import extend_schema

from catalogue.serializers.personas import PersonaSerializer
from catalogue.serializers.skills import SkillSerializer
from marketplace.api.responses import cached
from marketplace.api.viewsets import CatalogueListViewSet, CatalogueViewSet
from marketplace.ratelimits.client_address import client_address
from search import reads
from search.facet_counts import MAX_VALUES
from search.filters import FacetFilterSet, PersonaFilterSet, SkillFilterSet
from search.serializers import FacetsSerializer, PersonaPageSerializer, SkillPageSerializer

LISTS = (
    "Lists leave out `content`: get the entry that you want. Follow `next` until it is null, and "
    "you have seen every entry once. A parameter that is not listed here is a 400."
)


class SkillListViewSet(CatalogueListViewSet):
    filterset_class = SkillFilterSet
    serializer_class = SkillSerializer

    @extend_schema(
        operation_id="list_skills",
        tags=["Catalogue"],
        summary="Search and filter skills",
        description=f"A skill teaches an agent one kind of task. {LISTS}",
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
        description="A persona is a prompt that gives an agent a role, bundled with the skills "
        f"for it. {LISTS}",
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
        summary="List filter values",
        description="The values of each filter and how many published entries have each. The most "
        f"common come first, with at most {MAX_VALUES} for each filter.",
        responses={200: FacetsSerializer},
    )
    def list(self, request):
        kind = self.filterset_class(self.query).values["kind"]
        return cached(request, reads.most_common(kind, FacetsSerializer.facets), FacetsSerializer)
