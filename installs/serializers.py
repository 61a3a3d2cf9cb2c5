from rest_framework.serializers import BaseSerializer

from catalogue.models import Status
from catalogue.serializers import (
    DEPRECATION_SCHEMA,
    DIGEST_SCHEMA,
    PERSONA_SLUG_SCHEMA,
    PERSONA_TITLE_SCHEMA,
    SLUG_SCHEMA,
    TITLE_SCHEMA,
    VERSION_SCHEMA,
    deprecation_of,
)
from marketplace.api.schemas import (
    FLAG,
    TEXT,
    TIMESTAMP,
    array,
    component,
    described,
    identifier,
    like,
    message,
    nullable,
    object_schema,
    page_of,
)
from marketplace.api.serializers import (
    BodySerializer,
    BooleanField,
    SlugField,
    TextField,
    timestamp,
)

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


class UpdateSerializer(BaseSerializer):
    """An Update, from InstallManager.update_own."""

    schema = component(
        "Upgrade",
        object_schema(
            {
                "message": message("Updated"),
                "slug": SLUG_SCHEMA,
                "digest": DIGEST_SCHEMA,
                "previousDigest": DIGEST_SCHEMA,
            }
        ),
    )

    def to_representation(self, verdict):
        is_new = verdict.digest != verdict.previous_digest
        return {
            "message": "Updated" if is_new else "Nothing to update",
            "slug": verdict.slug,
            "digest": verdict.digest,
            "previousDigest": verdict.previous_digest,
        }


class OwnEntrySerializer(BaseSerializer):
    """What an agent's lists show of any entry; from InstallQuerySet.with_entry."""

    fields_schema = {
        "version": VERSION_SCHEMA,
        "digest": described(DIGEST_SCHEMA, "Of the text that the entry has now."),
        "installedDigest": described(
            DIGEST_SCHEMA, "Of the text that it had when it was installed or last updated."
        ),
        "updateAvailable": FLAG,
        "withdrawnAt": like(
            described(nullable(TIMESTAMP), "Set where it is withdrawn: stop using it."),
            None,
        ),
    }

    def common(self, install):
        is_published = install.status == Status.PUBLISHED
        return {
            "version": install.version,
            "digest": install.entry_digest,
            "installedDigest": install.installed_digest,
            "updateAvailable": install.is_outdated,
            "withdrawnAt": None if is_published else timestamp(install.gone_since),
        }


class OwnSkillSerializer(OwnEntrySerializer):
    profile_schema = {
        "skillId": identifier("skill"),
        "slug": SLUG_SCHEMA,
        "title": TITLE_SCHEMA,
        "runtime": like(TEXT, "python"),
        "installedAt": TIMESTAMP,
        "deprecation": DEPRECATION_SCHEMA,
    }
    schema = component(
        "OwnSkill", object_schema({**profile_schema, **OwnEntrySerializer.fields_schema})
    )
    page_schema = component("OwnSkillPage", page_of(schema))

    def to_representation(self, install):
        return {
            "skillId": install.public_id,
            "slug": install.slug,
            "title": install.title,
            "runtime": install.runtime,
            "installedAt": timestamp(install.installed_at),
            "deprecation": deprecation_of(install),
            **self.common(install),
        }


class OwnPersonaSerializer(OwnEntrySerializer):
    profile_schema = {
        "personaId": identifier("persona"),
        "slug": PERSONA_SLUG_SCHEMA,
        "title": PERSONA_TITLE_SCHEMA,
        "isActive": FLAG,
        "installedAt": TIMESTAMP,
        "skills": described(array(SLUG_SCHEMA), "The slugs of the skills that come with it."),
        "deprecation": DEPRECATION_SCHEMA,
    }
    schema = component(
        "OwnPersona", object_schema({**profile_schema, **OwnEntrySerializer.fields_schema})
    )
    page_schema = component("OwnPersonaPage", page_of(schema))

    def to_representation(self, install):
        return {
            "personaId": install.public_id,
            "slug": install.slug,
            "title": install.title,
            "isActive": install.is_active,
            "installedAt": timestamp(install.installed_at),
            "skills": install.skill_slugs,
            "deprecation": deprecation_of(install),
            **self.common(install),
        }
