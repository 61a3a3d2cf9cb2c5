from drf_spectacular.utils import extend_schema

from catalogue.exceptions import CursorExpired
from catalogue.feed import ChangeFilterSet, FeedPagination
from catalogue.serializers import ChangePageSerializer, ChangeSerializer
from marketplace.api.viewsets import PublicReadingViewSet
from marketplace.http_cache.responses import conditional_response


class ChangeViewSet(PublicReadingViewSet):
    pagination_class = FeedPagination
    filterset_class = ChangeFilterSet
    serializer_class = ChangeSerializer

    @extend_schema(
        operation_id="list_changes",
        tags=["Catalogue"],
        summary="Read what has changed",
        description="Each entry once, at its last change, oldest first: all that a list or a "
        "detail shows of it, but for the counters. To mirror the catalogue, follow `next` from "
        "the start until there are no `results`, and poll it from then on. An entry that went, or "
        "an old slug, is `withdrawn` for at least 90 days.",
        responses={200: ChangePageSerializer, 410: CursorExpired},
    )
    def list(self, request):
        page = self.paginate_queryset(self.filterset_class(self.query))

        def build():
            return self.get_paginated_response(self.get_serializer(page, many=True).data)

        validator = self.paginator.validator
        return conditional_response(request, validator.seen, validator, build)
