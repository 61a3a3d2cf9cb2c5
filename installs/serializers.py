from rest_framework.serializers import BaseSerializer

from catalogue.serializers import PERSONA_SLUG_SCHEMA, SLUG_SCHEMA
from marketplace.api.schemas import FLAG, component, identifier, message, object_schema
from marketplace.api.serializers import BodySerializer, BooleanField, SlugField, TextField

SLUG_HELP = "The `slug` of the entry, as the catalogue shows it."


class InstallSkillSerializer(BodySerializer):
    slug = SlugField(initial="pdf-tables", help_text=SLUG_HELP)
    runtime = TextField(
        default="",
        initial="python",
        help_text="Where the agent runs, in its own words, such as `python`.",
    )


class InstallPersonaSerializer(BodySerializer):
    slug = SlugField(initial="archivist", help_text=SLUG_HELP)
    setActive = BooleanField(
        default=False,
        initial=True,
        help_text="Make it the agent's one active persona, instead of another; without it, do not.",
    )


class InstalledSkillSerializer(BaseSerializer):
    schema = component(
        "InstalledSkill",
        object_schema(
            {
                "message": message("Skill installed"),
                "skillId": identifier("skill"),
                "slug": SLUG_SCHEMA,
            }
        ),
    )

    def to_representation(self, install):
        return {
            "message": "Skill installed",
            "skillId": install.skill.public_id,
            "slug": install.skill.slug,
        }


class InstalledPersonaSerializer(BaseSerializer):
    schema = component(
        "InstalledPersona",
        object_schema(
            {
                "message": message("Persona installed"),
                "personaId": identifier("persona"),
                "slug": PERSONA_SLUG_SCHEMA,
                "isActive": FLAG,
            }
        ),
    )

    def to_representation(self, install):
        return {
            "message": "Persona installed",
            "personaId": install.persona.public_id,
            "slug": install.persona.slug,
            "isActive": install.is_active,
        }
