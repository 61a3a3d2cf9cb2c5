from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.response import Response

from catalogue.exceptions import PersonaNotFound
from marketplace.api.permissions import Scope
from marketplace.api.viewsets import ApiViewSet
from marketplace.ratelimits.decorators import ratelimit
from reviews.exceptions import ReviewRequiresInstall
from reviews.models import Review
from reviews.serializers import SubmitReviewSerializer, SubmittedReviewSerializer


class ReviewViewSet(ApiViewSet):
    required_scope = Scope.REVIEW
    serializer_class = SubmitReviewSerializer

    @extend_schema(
        operation_id="submit_review",
        tags=["Reviews"],
        summary="Review a persona, or replace your review",
        description="One review for each persona that you have installed: 201 for the first, 200 "
        "when it replaces an earlier one.",
        responses={
            200: SubmittedReviewSerializer,
            201: SubmittedReviewSerializer,
            400: ReviewRequiresInstall,
            404: PersonaNotFound,
        },
    )
    @ratelimit("review")
    def create(self, request):
        wanted = self.validated(request)
        review, is_new = Review.objects.submit(
            request.user,
            wanted["personaSlug"],
            rating=wanted["rating"],
            comment=wanted["comment"],
        )
        return Response(
            SubmittedReviewSerializer(review, context={"is_new": is_new}).data,
            status.HTTP_201_CREATED if is_new else status.HTTP_200_OK,
        )
