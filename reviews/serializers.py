from rest_framework.serializers import BaseSerializer

from marketplace.api.serializers import (
    BodySerializer,
    KeptTextField,
    RatingField,
    SlugField,
    number,
    timestamp,
)


class SubmitReviewSerializer(BodySerializer):
    rating = RatingField()  # first, because what is wrong with it is said first
    personaSlug = SlugField()
    comment = KeptTextField(max_length=1000, default="")


class SubmittedReviewSerializer(BaseSerializer):
    def to_representation(self, review):
        return {
            "reviewId": review.public_id,
            "personaSlug": review.persona.slug,
            "rating": number(review.rating),
            "comment": review.comment,
            "createdAt": timestamp(review.created_at),
            "updatedAt": timestamp(review.updated_at),
        }
