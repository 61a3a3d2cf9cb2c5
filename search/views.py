from drf_spectacular.utils import extend_schema

from catalogue.serializers.personas import PersonaSerializer
from catalogue.serializers.skills import SkillSerializer
from marketplace.api.responses import cacheable_response
from marketplace.api.viewsets import CatalogueListViewSet, CatalogueViewSet
from marketplace.ratelimits.client_address import client_address
from search import reads
from search.facet_counts import MAX_VALUES
from search.list_queries import FacetQuery, PersonaQuery, SkillQuery
from search.serializers import FacetsSerializer, PersonaPageSerializer, SkillPageSerializer

LISTS = (
    "Lists leave out `content`: get the entry that you want. Follow `next` until it is null, and "
    "you have seen every entry once. A parameter that is not listed here is a 400."
)


class SkillListViewSet(CatalogueListViewSet):
    query_class = SkillQuery
    serializer_class = SkillSerializer

    @extend_schema(
        operation_id="list_skills",
        tags=["Catalogue"],
        summary="Search and filter skills",
        description=f"A skill teaches an agent one kind of task. {LISTS}",
        responses={200: SkillPageSerializer},
    )
    def list(self, request):
        page = reads.skills.page_for_client(SkillQuery(self.query), client_address(request))
        return self.page_response(request, page)


class PersonaListViewSet(CatalogueListViewSet):
    query_class = PersonaQuery
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
        page = reads.personas.page_for_client(PersonaQuery(self.query), client_address(request))
        return self.page_response(request, page)


class FacetViewSet(CatalogueViewSet):
    query_class = FacetQuery

    @extend_schema(
        operation_id="list_facets",
        tags=["Catalogue"],
        summary="List filter values",
        description="The values of each filter and how many published entries have each. The most "
        f"common come first, with at most {MAX_VALUES} for each filter.",
        responses={200: FacetsSerializer},
    )
    def list(self, request):
        kind = self.query_class(self.query).values["kind"]
        read = reads.most_common(kind, FacetsSerializer.facets)
        return cacheable_response(request, read, FacetsSerializer)
