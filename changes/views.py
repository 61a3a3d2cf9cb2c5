from drf_spectacular.utils import extend_schema

from changes import reads
from changes.exceptions import CursorExpired
from changes.feed import ChangeQuery
from changes.serializers import ChangePageSerializer, ChangeSerializer
from marketplace.api.viewsets import CatalogueListViewSet


class ChangeViewSet(CatalogueListViewSet):
    query_class = ChangeQuery
    serializer_class = ChangeSerializer

    @extend_schema(
        operation_id="list_changes",
        tags=["Catalogue"],
        summary="List catalogue changes",
        description="Each entry appears once, at its last change, oldest first. A change is "
        "anything that a list or a detail shows, except counters. To mirror the catalogue, follow "
        "`next` from the start until `results` is empty, then keep polling the last `next`. A "
        "withdrawn entry or an old slug is listed as `withdrawn` for at least 90 days.",
        responses={200: ChangePageSerializer, 410: CursorExpired},
    )
    def list(self, request):
        return self.page_response(request, reads.changes.page(ChangeQuery(self.query)))
