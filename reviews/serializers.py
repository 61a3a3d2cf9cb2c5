from rest_framework.serializers import BaseSerializer

from catalogue.serializers import SLUG_SCHEMA
from marketplace.api.schemas import (
    MESSAGE,
    RATING,
    TIMESTAMP,
    column,
    component,
    identifier,
    object_schema,
)
from marketplace.api.serializers import (
    BodySerializer,
    PublicTextField,
    RatingField,
    SlugField,
    number,
    timestamp,
)
from reviews.models import Review


class SubmitReviewSerializer(BodySerializer):
    # First, because its error comes first.
    rating = RatingField(
        help_text="From 1 (poor) to 5 (excellent); fractions are kept to two decimals."
    )
    personaSlug = SlugField(help_text="The `slug` of a persona that the agent has installed.")
    comment = PublicTextField(
        max_length=1000,
        default="",
        help_text="A review is replaced as a whole: without a comment it has none.",
    )


class SubmittedReviewSerializer(BaseSerializer):
    schema = component(
        "SubmittedReview",
        object_schema(
            {
                "message": MESSAGE,
                "reviewId": identifier("review"),
                "personaSlug": SLUG_SCHEMA,
                "rating": RATING,
                "comment": column(Review, "comment"),
                "createdAt": TIMESTAMP,
                "updatedAt": TIMESTAMP,
            }
        ),
    )

    def to_representation(self, review):
        return {
            "message": "Review submitted" if self.context["is_new"] else "Review updated",
            "reviewId": review.public_id,
            "personaSlug": review.persona.slug,
            "rating": number(review.rating),
            "comment": review.comment,
            "createdAt": timestamp(review.created_at),
            "updatedAt": timestamp(review.updated_at),
        }
