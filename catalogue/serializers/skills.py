from catalogue.serializers.entries import EntrySerializer
from catalogue.serializers.fields import (
    PERSONA_SLUG,
    PERSONA_TITLE,
    EntrySlugField,
    TitleField,
)
from catalogue.serializers.files import SkillFileSerializer
from marketplace.api.fields import CountField, IdentifierField, TextField
from marketplace.api.serializers import ResponseSerializer


class SkillIdSerializer(ResponseSerializer):
    skillId = IdentifierField("skill", source="public_id")


class SkillSerializer(SkillIdSerializer, EntrySerializer):
    """A skill in a list."""

    downloads = CountField()


class BundlingPersonaSerializer(ResponseSerializer):
    slug = EntrySlugField(initial=PERSONA_SLUG)
    title = TitleField(initial=PERSONA_TITLE)


class SkillDetailSerializer(SkillSerializer):
    """A skill with its whole SKILL.md text, its files and the personas that bundle it.

    From SkillQuerySet.in_detail.
    """

    content = TextField(
        initial="---\nname: pdf-tables\ndescription: Extracts tables from PDF files into CSV.\n"
        "---\n\n# PDF Tables\n",
        help_text="The whole SKILL.md, frontmatter included.",
    )
    files = SkillFileSerializer(
        many=True, source="*", help_text="The files beside the SKILL.md, by path."
    )
    personas = BundlingPersonaSerializer(many=True, source="bundling")
