from drf_spectacular.utils import extend_schema

from changes import reads
from changes.exceptions import CursorExpired
from changes.feed import ChangeFilterSet, FeedPagination
from changes.serializers import ChangePageSerializer, ChangeSerializer
from infrastructure.http_cache.validators import Read
from marketplace.api.responses import cached
from marketplace.api.viewsets import CatalogueViewSet


class ChangeViewSet(CatalogueViewSet):
    pagination_class = FeedPagination
    filterset_class = ChangeFilterSet
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
        page = self.paginate_queryset(reads.changes(ChangeFilterSet(self.query)))
        read = Read(page, self.paginator.validator)
        respond = self.get_paginated_response
        return cached(request, read, ChangeSerializer, many=True, respond=respond)
