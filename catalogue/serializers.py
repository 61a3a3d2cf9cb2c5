from urllib.parse import quote

from django.urls import reverse
from rest_framework.serializers import BaseSerializer

from catalogue.models import Entry
from catalogue.search.ranking import MAX_RESULTS
from marketplace.api.schemas import (
    COUNT,
    FLAG,
    RATING,
    TEXT,
    TIMESTAMP,
    URL,
    array,
    column,
    component,
    described,
    identifier,
    like,
    nullable,
    object_schema,
    page_of,
)
from marketplace.api.serializers import number, timestamp
from marketplace.models import SLUG

SLUG_SCHEMA = like(column(Entry, "slug") | {"pattern": f"^{SLUG}$"}, "pdf-tables")
TITLE_SCHEMA = like(column(Entry, "title"), "PDF Tables")
# The same for a persona, and for what bundles or installs one.
PERSONA_SLUG_SCHEMA = like(SLUG_SCHEMA, "archivist")
PERSONA_TITLE_SCHEMA = like(TITLE_SCHEMA, "Archivist")
DESCRIPTION_SCHEMA = like(TEXT, "Extracts tables from PDF files into CSV.")
DIGEST_SCHEMA = {
    "type": "string",
    "pattern": "^sha256:[0-9a-f]{64}$",
    "examples": ["sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"],
}
OF_SEARCH = f"On all pages; a search has the best {MAX_RESULTS:,}."
UNKNOWN = "Empty where it is not known."
CONTEXT_TOKENS_SCHEMA = described(
    COUNT, "About what `content` costs an agent's context: characters / 4."
)
TEXT_FILE, OTHER_FILE = "text/plain", "application/octet-stream"
BYTES_SCHEMA = component(
    "Bytes", {"type": "string", "format": "binary", "examples": ["print('tables')"]}
)
PATH_SCHEMA = like(TEXT, "scripts/tables.py")
FILE_FIELDS = {
    "path": PATH_SCHEMA,
    "size": like(described(COUNT, "In bytes."), 1534),
    "digest": DIGEST_SCHEMA,
    "url": like(
        described(URL, "Its bytes. They never change: the URL carries the digest."),
        "https://marketplace.example/api/v1/skills/pdf-tables/files/scripts/tables.py"
        f"?digest={DIGEST_SCHEMA['examples'][0]}",
    ),
}
FILE_SCHEMA = component("File", object_schema(FILE_FIELDS))
VERSION_SCHEMA = like(described(column(Entry, "version"), UNKNOWN), "1.6.0")


class EntrySerializer(BaseSerializer):
    """What skills and personas show alike, in a list and in detail."""

    fields_schema = {
        "slug": SLUG_SCHEMA,
        "title": TITLE_SCHEMA,
        "description": DESCRIPTION_SCHEMA,
        "category": like(described(column(Entry, "category"), UNKNOWN), "data"),
        "tags": array(like(column(Entry, "tags"), "pdf")),
        "runtimes": array(like(column(Entry, "runtimes"), "python")),
        "author": like(described(column(Entry, "author"), UNKNOWN), "Harbour Tools"),
        "version": VERSION_SCHEMA,
        "license": like(described(column(Entry, "license"), UNKNOWN), "MIT"),
        "contextTokens": CONTEXT_TOKENS_SCHEMA,
        "digest": described(
            DIGEST_SCHEMA, "Of what agents get: the SKILL.md as it is served, or the prompt."
        ),
        "createdAt": TIMESTAMP,
        "updatedAt": TIMESTAMP,
    }

    def common(self, entry):
        return {
            "slug": entry.slug,
            "title": entry.title,
            "description": entry.description,
            "category": entry.category,
            "tags": entry.tags,
            "runtimes": entry.runtimes,
            "author": entry.author,
            "version": entry.version,
            "license": entry.license,
            "contextTokens": entry.context_tokens,
            "digest": entry.digest,
            "createdAt": timestamp(entry.created_at),
            "updatedAt": timestamp(entry.updated_at),
        }


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

    From SkillQuerySet.in_detail; URLs begin with the `base` of the context.
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
                    files_of(skill, self.context["base"]), skill.files, strict=True
                )
            ],
            "personas": skill.bundling,
        }


def files_of(skill, base):
    """The files of a skill, or of a row with its slug and files, without their media types."""
    address = base + reverse("skill-detail", args=[skill.slug])
    return [
        {
            "path": file["path"],
            "size": file["size"],
            "digest": file["digest"],
            "url": f"{address}/files/{quote(file['path'])}?digest={file['digest']}",
        }
        for file in skill.files
    ]


def media_type(file):
    """What a file is served as: never as what a browser would run."""
    return TEXT_FILE if file["is_text"] else OTHER_FILE


class PersonaSerializer(EntrySerializer):
    """A persona in a list, from PersonaQuerySet.with_skill_slugs."""

    fields_schema = {
        "personaId": identifier("persona"),
        **EntrySerializer.fields_schema,
        "slug": PERSONA_SLUG_SCHEMA,
        "title": PERSONA_TITLE_SCHEMA,
        "description": like(TEXT, "Puts records in order so that a stranger can find them."),
        "priceCents": COUNT,
        "isFree": described(FLAG, "Only free personas can be installed over this API."),
        "skills": described(array(SLUG_SCHEMA), "The slugs of the skills that come with it."),
        "installs": COUNT,
        "ratingAvg": described(like(nullable(RATING), 4.5), "Null without reviews."),
        "ratingCount": COUNT,
    }
    schema = component("Persona", object_schema(fields_schema))
    page_schema = component("PersonaPage", page_of(schema, OF_SEARCH))

    def to_representation(self, persona):
        return {
            "personaId": persona.public_id,
            **self.common(persona),
            "priceCents": persona.price_cents,
            "isFree": persona.price_cents == 0,
            "skills": self.skills(persona),
            "installs": persona.installs,
            "ratingAvg": number(persona.rating_avg),
            "ratingCount": persona.rating_count,
        }

    def skills(self, persona):
        return persona.skill_slugs


class PersonaDetailSerializer(PersonaSerializer):
    """A persona with its prompt (none while it has a price), its skills and its ratings.

    From PersonaQuerySet.in_detail.
    """

    bundled_skill_schema = component(
        "BundledSkill",
        object_schema(
            {
                "skillId": identifier("skill"),
                "slug": SLUG_SCHEMA,
                "title": TITLE_SCHEMA,
                "description": DESCRIPTION_SCHEMA,
            }
        ),
    )
    rating_distribution_schema = component(
        "RatingDistribution",
        object_schema(
            {str(stars): COUNT for stars in range(1, 6)},
            "How many reviews at each whole rating, fractions at the nearest.",
        ),
    )
    ratings_schema = component(
        "Ratings",
        object_schema(
            {
                "average": like(nullable(RATING), 4.5),
                "count": COUNT,
                "distribution": rating_distribution_schema,
            }
        ),
    )
    schema = component(
        "PersonaDetail",
        object_schema(
            {
                **PersonaSerializer.fields_schema,
                "content": like(
                    described(nullable(TEXT), "The prompt; null while it has a price."),
                    "You are an archivist.",
                ),
                "skills": array(bundled_skill_schema),
                "ratings": ratings_schema,
            }
        ),
    )

    def to_representation(self, persona):
        return {
            **super().to_representation(persona),
            "content": persona.content if persona.is_free else None,
            "ratings": {
                "average": number(persona.rating_avg),
                "count": persona.rating_count,
                "distribution": persona.rating_distribution(),
            },
        }

    def skills(self, persona):
        return [
            {
                "slug": skill["slug"],
                "title": skill["title"],
                "skillId": skill["public_id"],
                "description": skill["description"],
            }
            for skill in persona.bundled
        ]
