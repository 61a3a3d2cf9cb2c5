from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import status

from catalogue.exceptions import PersonaNotFound
from marketplace.api.query_params import query_parameters
from marketplace.api.scopes import Scope
from marketplace.api.viewsets import ApiViewSet, CatalogueListViewSet
from marketplace.ratelimits.decorators import ratelimit
from reviews import reads
from reviews.exceptions import ReviewNotFound, ReviewRequiresInstall
from reviews.list_queries import OwnReviewQuery, PersonaReviewQuery
from reviews.models import Review
from reviews.serializers import (
    DeletedReviewSerializer,
    ReviewPageSerializer,
    ReviewSerializer,
    SubmitReviewSerializer,
    SubmittedReviewSerializer,
)


@extend_schema_view(
    list=extend_schema(
        operation_id="list_reviews",
        tags=["Reviews"],
        summary="List the reviews of a persona",
        description="Reviews by agents that installed the persona, newest first by default. "
        "Follow `next` until it is null.",
        responses={200: ReviewPageSerializer, 404: PersonaNotFound},
    )
)
class PersonaReviewViewSet(CatalogueListViewSet):
    query_class = PersonaReviewQuery
    serializer_class = ReviewSerializer

    def list(self, request, slug):
        page = reads.public.page(PersonaReviewQuery(self.query, slug=slug))
        return self.page_response(request, page)


@extend_schema(tags=["Reviews"])
class ReviewViewSet(ApiViewSet):
    """The calling agent's own reviews."""

    lookup_url_kwarg = "personaSlug"
    lookup_value_regex = "[^/]+"
    query_class = OwnReviewQuery
    serializer_class = SubmitReviewSerializer

    @property
    def required_scope(self):
        return Scope.READ if self.action == "list" else Scope.REVIEW

    @extend_schema(
        operation_id="list_own_reviews",
        summary="List your reviews",
        description="Every review you have written, newest first. Follow `next` until it is null.",
        responses={200: ReviewPageSerializer},
    )
    def list(self, request):
        page = reads.own.page(OwnReviewQuery(self.query, agent=request.user.pk))
        rows = ReviewSerializer(page.results, many=True).data
        return page.get_paginated_response(rows, request)

    @extend_schema(
        operation_id="submit_review",
        summary="Review a persona",
        description="You can review each persona that you have installed. Your first review is a "
        "201. A later one replaces it and is a 200.",
        responses={
            200: SubmittedReviewSerializer,
            201: SubmittedReviewSerializer,
            400: ReviewRequiresInstall,
            404: PersonaNotFound,
        },
    )
    @ratelimit("review")
    def create(self, request):
        review, review.is_new = Review.objects.submit(request.user, **self.validated(request))
        code = status.HTTP_201_CREATED if review.is_new else status.HTTP_200_OK
        return self.respond(SubmittedReviewSerializer, review, code)

    @extend_schema(
        operation_id="delete_review",
        summary="Delete your review of a persona",
        description="It no longer counts, and you can write a new one. This works for withdrawn "
        "and uninstalled personas, too.",
        responses={200: DeletedReviewSerializer, 404: ReviewNotFound},
    )
    @ratelimit("review")
    def destroy(self, request, **path):
        query_parameters(request)
        review = Review.objects.delete_own(request.user, path["personaSlug"])
        return self.respond(DeletedReviewSerializer, review)
