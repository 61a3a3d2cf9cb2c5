from catalogue.serializers.entries import (
    OF_SEARCH,
    PERSONA_SLUG_SCHEMA,
    PERSONA_TITLE_SCHEMA,
    EntrySerializer,
)
from catalogue.serializers.files import FILE_FIELDS, OTHER_FILE, TEXT_FILE, files_of, media_type
from marketplace.api.links import base_url
from marketplace.api.schemas import (
    COUNT,
    TEXT,
    array,
    component,
    described,
    identifier,
    like,
    object_schema,
    page_of,
)


class SkillSerializer(EntrySerializer):
    """A skill in a list."""

    fields_schema = {
        "skillId": identifier("skill"),
        **EntrySerializer.fields_schema,
        "downloads": COUNT,
    }
    schema = component("Skill", object_schema(fields_schema))
    page_schema = component("SkillPage", page_of(schema, OF_SEARCH))

    def to_representation(self, skill):
        return {
            "skillId": skill.public_id,
            **self.common(skill),
            "downloads": skill.downloads,
        }


class SkillDetailSerializer(SkillSerializer):
    """A skill with its whole SKILL.md text, its files and the personas that bundle it.

    From SkillQuerySet.in_detail.
    """

    schema = component(
        "SkillDetail",
        object_schema(
            {
                **SkillSerializer.fields_schema,
                "content": like(
                    described(TEXT, "The whole SKILL.md, frontmatter included."),
                    "---\nname: pdf-tables\ndescription: Extracts tables from PDF files into CSV.\n"
                    "---\n\n# PDF Tables\n",
                ),
                "files": described(
                    array(
                        component(
                            "SkillFile",
                            object_schema(
                                {
                                    **FILE_FIELDS,
                                    "mediaType": {
                                        "type": "string",
                                        "enum": [TEXT_FILE, OTHER_FILE],
                                    },
                                }
                            ),
                        )
                    ),
                    "What its folder holds beside the SKILL.md, by path.",
                ),
                "personas": array(
                    component(
                        "BundlingPersona",
                        object_schema({"slug": PERSONA_SLUG_SCHEMA, "title": PERSONA_TITLE_SCHEMA}),
                    )
                ),
            }
        ),
    )

    def to_representation(self, skill):
        return {
            **super().to_representation(skill),
            "content": skill.content,
            "files": [
                shown | {"mediaType": media_type(file)}
                for shown, file in zip(
                    files_of(skill, base_url(self.context["request"])), skill.files, strict=True
                )
            ],
            "personas": skill.bundling,
        }
