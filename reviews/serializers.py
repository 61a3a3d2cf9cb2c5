from agents.serializers.agents import NamedAgentSerializer
from catalogue.serializers.fields import PERSONA_SLUG, EntrySlugField
from marketplace.api.fields import (
    IdentifierField,
    MessageField,
    PublicTextField,
    RatingField,
    SlugField,
    TextField,
    TimestampField,
)
from marketplace.api.serializers import BodySerializer, PageSerializer, ResponseSerializer
from marketplace.models import max_length
from reviews.models import Review

COMMENT = "Names files so that I find them again."


class SubmitReviewSerializer(BodySerializer):
    # First, because its error comes first.
    rating = RatingField(
        initial=4.5,
        help_text="From 1 (poor) to 5 (excellent). Fractions are rounded to two decimals.",
    )
    personaSlug = SlugField(
        source="slug",
        initial="archivist",
        help_text="The `slug` of a persona that you have installed.",
    )
    comment = PublicTextField(
        max_length=max_length(Review, "comment"),
        default="",
        initial=COMMENT,
        help_text="A new review replaces the earlier one as a whole, including its comment.",
    )


class WrittenReviewSerializer(ResponseSerializer):
    reviewId = IdentifierField("review", source="public_id")
    personaSlug = EntrySlugField(source="persona.slug", initial=PERSONA_SLUG)
    rating = RatingField(initial=4.5)
    comment = TextField(max_length=max_length(Review, "comment"), initial=COMMENT)
    createdAt = TimestampField(source="created_at")
    updatedAt = TimestampField(source="updated_at")


class ReviewerSerializer(NamedAgentSerializer):
    pass


class ReviewSerializer(WrittenReviewSerializer):
    """A review in a list, from ReviewQuerySet.for_list."""

    personaSlug = EntrySlugField(source="slug", initial=PERSONA_SLUG)
    agent = ReviewerSerializer(source="reviewer")


class ReviewPageSerializer(PageSerializer):
    results = ReviewSerializer(many=True)


class DeletedReviewSerializer(ResponseSerializer):
    message = MessageField("Review deleted")
    reviewId = IdentifierField("review", source="public_id")
    personaSlug = EntrySlugField(source="persona.slug", initial=PERSONA_SLUG)


class SubmittedReviewSerializer(DeletedReviewSerializer, WrittenReviewSerializer):
    message = MessageField("Review submitted", again="Review updated")
