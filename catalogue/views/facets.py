from drf_spectacular.utils import extend_schema

from catalogue.filters import FacetFilterSet
from catalogue.search.reads import most_common
from catalogue.serializers import FacetsSerializer
from marketplace.api.viewsets import PublicReadingViewSet
from marketplace.http_cache.responses import cached


class FacetViewSet(PublicReadingViewSet):
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
        return cached(request, most_common(kind, FacetsSerializer.facets), FacetsSerializer)
