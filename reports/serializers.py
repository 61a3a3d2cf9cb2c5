from marketplace.api.fields import (
    ChoiceField,
    IdentifierField,
    MessageField,
    PublicTextField,
    SlugField,
    TimestampField,
)
from marketplace.api.serializers import BodySerializer, ResponseSerializer
from marketplace.models import max_length
from reports.models import Case, Report

NAMED_BY = {"skill": "slug", "persona": "slug", "review": "reviewId"}


class SubmitReportSerializer(BodySerializer):
    """The problem, with `slug` or `reviewId` depending on the kind; the other is ignored."""

    kind = ChoiceField(Case.KINDS, initial="skill", help_text="What the report is about.")
    slug = SlugField(
        required=False,
        initial="pdf-tables",
        help_text="The `slug` of the skill or persona. Required for these two kinds.",
    )
    reviewId = SlugField(
        required=False,
        initial="review_rzjIGXUky0ywmzzB",
        help_text="The `reviewId` of the review. Required for a review.",
    )
    reason = ChoiceField(Report.Reason.values, initial="broken", help_text="The problem.")
    # Not public, but staff do not need to see a token either.
    comment = PublicTextField(
        max_length=max_length(Report, "comment"),
        default="",
        initial="The script that it names is not there.",
        help_text="Details for staff.",
    )

    def to_internal_value(self, data):
        present = {name: value for name, value in data.items() if name not in NAMED_BY.values()}
        if (kind := data.get("kind")) in Case.KINDS:
            # An empty one gets the same error as a missing one.
            name = NAMED_BY[kind]
            present[name] = "" if data.get(name) is None else data[name]
        return super().to_internal_value(present)


class SubmittedReportSerializer(ResponseSerializer):
    message = MessageField("Report submitted", again="Report updated")
    reportId = IdentifierField("report", source="public_id")
    createdAt = TimestampField(source="created_at")
