from rest_framework.serializers import BaseSerializer

from catalogue.serializers import (
    CONTEXT_TOKENS_SCHEMA,
    DEPRECATION_SCHEMA,
    DESCRIPTION_SCHEMA,
    DIGEST_SCHEMA,
    FILE_SCHEMA,
    SLUG_SCHEMA,
    TITLE_SCHEMA,
    VERSION_SCHEMA,
    deprecation_of,
    files_of,
)
from marketplace.api.schemas import (
    COUNT,
    FLAG,
    TEXT,
    array,
    component,
    described,
    identifier,
    like,
    nullable,
    object_schema,
)
from profiles.serializers.advisories import ADVISORIES_SCHEMA, advisories
from profiles.serializers.profile import ACTIVE_PERSONA


class ManifestSerializer(BaseSerializer):
    """A Manifest, for an agent whose `advisories` are in the context.

    The URLs of files begin with the `base` of the context.
    """

    content_schema = like(
        described(nullable(TEXT), "Null beyond the limits, or where none was asked for."),
        "You are an archivist.",
    )
    digests_schema = {
        "version": VERSION_SCHEMA,
        "digest": DIGEST_SCHEMA,
        "installedDigest": described(
            nullable(DIGEST_SCHEMA),
            "Of the text when it was installed or last updated; null where it is not installed "
            "by itself.",
        ),
        "updateAvailable": FLAG,
        "deprecation": DEPRECATION_SCHEMA,
    }
    schema = component(
        "Manifest",
        object_schema(
            {
                "activePersona": nullable(
                    component(
                        "ManifestPersona",
                        object_schema(
                            {
                                **ACTIVE_PERSONA,
                                **digests_schema,
                                "content": content_schema,
                                "contextTokens": CONTEXT_TOKENS_SCHEMA,
                            }
                        ),
                    )
                ),
                "skills": array(
                    component(
                        "ManifestSkill",
                        object_schema(
                            {
                                "skillId": identifier("skill"),
                                "description": DESCRIPTION_SCHEMA,
                                "slug": SLUG_SCHEMA,
                                "title": TITLE_SCHEMA,
                                **digests_schema,
                                "content": like(content_schema, "---\nname: pdf-tables\n---\n"),
                                "contextTokens": CONTEXT_TOKENS_SCHEMA,
                                "files": array(FILE_SCHEMA),
                                "via": array({"type": "string", "enum": ["install", "persona"]}),
                            }
                        ),
                    )
                ),
                "contextTokens": described(COUNT, "The sum."),
                "advisories": ADVISORIES_SCHEMA,
                "truncated": described(FLAG, "Whether a `content` is null for its size alone."),
            }
        ),
    )

    def to_representation(self, manifest):
        persona = manifest.persona
        return {
            "activePersona": persona and {"personaId": persona.public_id, **self.common(persona)},
            "skills": [self.skill(row) for row in manifest.skills],
            "contextTokens": manifest.context_tokens,
            "advisories": advisories(self.context["advisories"]),
            "truncated": manifest.is_truncated,
        }

    def skill(self, row):
        return {
            "skillId": row.public_id,
            "description": row.description,
            **self.common(row),
            "files": files_of(row, self.context["base"]),
            "via": ["install"] * row.is_installed + ["persona"] * row.is_bundled,
        }

    def common(self, row):
        installed = row.installed_digest
        return {
            "slug": row.slug,
            "title": row.title,
            "version": row.version,
            "digest": row.digest,
            "installedDigest": installed,
            "updateAvailable": installed is not None and installed != row.digest,
            "content": row.content,
            "contextTokens": row.context_tokens,
            "deprecation": deprecation_of(row),
        }
