from decimal import ROUND_HALF_UP, Decimal

from rest_framework.serializers import BaseSerializer, Field

from agents.serializers import AGENT_SCHEMA
from catalogue.serializers import PERSONA_SLUG_SCHEMA
from marketplace.api.schemas import (
    RATING,
    TIMESTAMP,
    column,
    component,
    identifier,
    like,
    message,
    object_schema,
    page_of,
)
from marketplace.api.serializers import (
    BodySerializer,
    PublicTextField,
    SlugField,
    number,
    timestamp,
)
from marketplace.models import max_length
from reviews.models import Review


class RatingField(Field):
    """Any JSON number from 1 to 5, as a Decimal with two decimals."""

    TEXT = "Rating must be between 1 and 5"
    default_error_messages = {"required": TEXT, "null": TEXT, "invalid": TEXT}

    def to_internal_value(self, data):
        if isinstance(data, bool) or not isinstance(data, int | float) or not 1 <= data <= 5:
            self.fail("invalid")
        return Decimal(str(data)).quantize(Decimal("0.01"), ROUND_HALF_UP)


class SubmitReviewSerializer(BodySerializer):
    # First, because its error comes first.
    rating = RatingField(
        initial=4.5, help_text="From 1 (poor) to 5 (excellent); fractions are kept to two decimals."
    )
    personaSlug = SlugField(
        initial="archivist", help_text="The `slug` of a persona that the agent has installed."
    )
    comment = PublicTextField(
        max_length=max_length(Review, "comment"),
        default="",
        initial="Names files so that I find them again.",
        help_text="A review is replaced as a whole: without a comment it has none.",
    )


class ReviewSerializer(BaseSerializer):
    """A review in a list, from ReviewQuerySet.for_list."""

    fields_schema = {
        "reviewId": identifier("review"),
        "personaSlug": PERSONA_SLUG_SCHEMA,
        "rating": like(RATING, 4.5),
        "comment": like(column(Review, "comment"), "Names files so that I find them again."),
        "createdAt": TIMESTAMP,
        "updatedAt": TIMESTAMP,
    }
    reviewer_schema = component(
        "Reviewer",
        object_schema({"handle": AGENT_SCHEMA["handle"], "name": AGENT_SCHEMA["name"]}),
    )
    schema = component("Review", object_schema({**fields_schema, "agent": reviewer_schema}))
    page_schema = component("ReviewPage", page_of(schema))

    def to_representation(self, review):
        return {**self.common(review, review.slug), "agent": review.reviewer}

    def common(self, review, slug):
        return {
            "reviewId": review.public_id,
            "personaSlug": slug,
            "rating": number(review.rating),
            "comment": review.comment,
            "createdAt": timestamp(review.created_at),
            "updatedAt": timestamp(review.updated_at),
        }


class SubmittedReviewSerializer(ReviewSerializer):
    schema = component(
        "SubmittedReview",
        object_schema({"message": message("Review submitted"), **ReviewSerializer.fields_schema}),
    )

    def to_representation(self, review):
        return {
            "message": "Review submitted" if self.context["is_new"] else "Review updated",
            **self.common(review, review.persona.slug),
        }


class DeletedReviewSerializer(BaseSerializer):
    text = "Review deleted"
    schema = component(
        "DeletedReview",
        object_schema(
            {
                "message": message(text),
                "reviewId": identifier("review"),
                "personaSlug": PERSONA_SLUG_SCHEMA,
            }
        ),
    )

    def to_representation(self, review):
        return {
            "message": self.text,
            "reviewId": review.public_id,
            "personaSlug": review.persona.slug,
        }
