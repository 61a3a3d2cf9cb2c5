from drf_spectacular.utils import extend_schema_serializer

from catalogue.models import FREE
from catalogue.serializers.entries import EntrySerializer
from catalogue.serializers.fields import (
    PERSONA_SLUG,
    PERSONA_TITLE,
    DescriptionField,
    EntrySlugField,
    TitleField,
)
from marketplace.api.fields import (
    BooleanField,
    CountField,
    IdentifierField,
    ListField,
    RatingField,
    TextField,
)
from marketplace.api.serializers import ResponseSerializer


class PersonaIdSerializer(ResponseSerializer):
    personaId = IdentifierField("persona", source="public_id")


class IsFreeField(BooleanField):
    def to_representation(self, price_cents):
        return price_cents == FREE


class PersonaSerializer(PersonaIdSerializer, EntrySerializer):
    """A persona in a list, from PersonaQuerySet.for_list."""

    slug = EntrySlugField(initial=PERSONA_SLUG)
    title = TitleField(initial=PERSONA_TITLE)
    description = DescriptionField(
        initial="Puts records in order so that a stranger can find them."
    )
    priceCents = CountField(source="price_cents")
    isFree = IsFreeField(
        source="price_cents", help_text="Only free personas can be installed over this API."
    )
    skills = ListField(
        EntrySlugField(),
        source="skill_slugs",
        help_text="The slugs of the skills that come with it.",
    )
    installs = CountField()
    ratingAvg = RatingField(
        source="rating_avg", allow_null=True, initial=4.5, help_text="Null if there are no reviews."
    )
    ratingCount = CountField(source="rating_count")


class PromptField(TextField):
    """None if the persona has a price."""

    initial = "You are an archivist."
    help_text = "The prompt. Null while the persona has a price."

    def to_representation(self, persona):
        return persona.content if persona.price_cents == FREE else None


class FrontmatterField(TextField):
    """None if the persona has no frontmatter, or a price."""

    initial = "---\nname: archivist\ntools: Read, Grep\n---\n\n"
    help_text = (
        "The start of its file, up to the prompt: the file is `frontmatter` followed by `content`. "
        "Null if other keys show all of its fields, and while the persona has a price."
    )

    def to_representation(self, persona):
        return (persona.frontmatter or None) if persona.price_cents == FREE else None


class ToolsField(ListField):
    def __init__(self):
        super().__init__(
            TextField(initial="Read"),
            allow_null=True,
            help_text="The tools that it may use, as Claude Code names them. Null for all tools.",
        )


class BundledSkillSerializer(ResponseSerializer):
    slug = EntrySlugField()
    title = TitleField()
    skillId = IdentifierField("skill", source="public_id")
    description = DescriptionField()


@extend_schema_serializer(
    description="The number of reviews at each whole rating. Fractions round to the nearest."
)
class RatingDistributionSerializer(ResponseSerializer):
    vars().update({str(stars): CountField() for stars in range(1, 6)})


class RatingsSerializer(ResponseSerializer):
    average = RatingField(source="rating_avg", allow_null=True, initial=4.5)
    count = CountField(source="rating_count")
    distribution = RatingDistributionSerializer(source="ratings")


class PersonaDetailSerializer(PersonaSerializer):
    """A persona with its prompt, its skills and its ratings, from PersonaQuerySet.in_detail."""

    skills = BundledSkillSerializer(many=True, source="bundled")
    content = PromptField(source="*", allow_null=True)
    frontmatter = FrontmatterField(source="*", allow_null=True)
    tools = ToolsField()
    ratings = RatingsSerializer(source="*")
