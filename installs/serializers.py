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


class InstalledSlugSerializer(BodySerializer):
    slug = SlugField(initial="archivist", help_text="The `slug` of what the agent has installed.")


class SkillSerializer(BaseSerializer):
    """What a write did with an installed skill."""

    text = None
    fields_schema = {"skillId": identifier("skill"), "slug": SLUG_SCHEMA}

    def to_representation(self, install):
        return {
            "message": self.text,
            "skillId": install.skill.public_id,
            "slug": install.skill.slug,
        }


class InstalledSkillSerializer(SkillSerializer):
    text = "Skill installed"
    schema = component(
        "InstalledSkill", object_schema({"message": message(text), **SkillSerializer.fields_schema})
    )


class UninstalledSkillSerializer(SkillSerializer):
    text = "Skill uninstalled"
    schema = component(
        "UninstalledSkill",
        object_schema({"message": message(text), **SkillSerializer.fields_schema}),
    )


class UninstalledPersonaSerializer(BaseSerializer):
    """What a write did with an installed persona."""

    text = "Persona uninstalled"
    fields_schema = {"personaId": identifier("persona"), "slug": PERSONA_SLUG_SCHEMA}
    schema = component(
        "UninstalledPersona", object_schema({"message": message(text), **fields_schema})
    )

    def to_representation(self, install):
        return {
            "message": self.text,
            "personaId": install.persona.public_id,
            "slug": install.persona.slug,
        }


class InstalledPersonaSerializer(UninstalledPersonaSerializer):
    text = "Persona installed"
    fields_schema = {**UninstalledPersonaSerializer.fields_schema, "isActive": FLAG}
    schema = component(
        "InstalledPersona", object_schema({"message": message(text), **fields_schema})
    )

    def to_representation(self, install):
        return {**super().to_representation(install), "isActive": install.is_active}


class ActivatedPersonaSerializer(InstalledPersonaSerializer):
    text = "Persona activated"
    schema = component(
        "ActivatedPersona",
        object_schema({"message": message(text), **InstalledPersonaSerializer.fields_schema}),
    )


class DeactivatedPersonaSerializer(InstalledPersonaSerializer):
    text = "Persona deactivated"
    schema = component(
        "DeactivatedPersona",
        object_schema({"message": message(text), **InstalledPersonaSerializer.fields_schema}),
    )
