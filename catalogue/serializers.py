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
    nullable,
    object_schema,
)
from marketplace.api.serializers import number, timestamp
from marketplace.models import SLUG

SLUG_SCHEMA = column(Entry, "slug") | {"pattern": f"^{SLUG}$"}
TITLE_SCHEMA = column(Entry, "title")
UNKNOWN = "Empty where it is not known."


def page_of(entry):
    return object_schema(
        {
            "results": array(entry),
            "count": described(COUNT, f"On all pages; a search has the best {MAX_RESULTS:,}."),
            "next": described(nullable(URL), "The next page; null on the last."),
            "previous": nullable(URL),
        }
    )


class EntrySerializer(BaseSerializer):
    """What skills and personas show alike, in a list and in detail."""

    fields_schema = {
        "slug": SLUG_SCHEMA,
        "title": TITLE_SCHEMA,
        "description": TEXT,
        "category": described(column(Entry, "category"), UNKNOWN),
        "tags": array(column(Entry, "tags")),
        "runtimes": array(column(Entry, "runtimes")),
        "author": described(column(Entry, "author"), UNKNOWN),
        "version": described(column(Entry, "version"), UNKNOWN),
        "license": described(column(Entry, "license"), UNKNOWN),
        "contextTokens": described(
            COUNT, "About what `content` costs an agent's context: characters / 4."
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
    page_schema = component("SkillPage", page_of(schema))

    def to_representation(self, skill):
        return {
            "skillId": skill.public_id,
            **self.common(skill),
            "downloads": skill.downloads,
        }


class SkillDetailSerializer(SkillSerializer):
    """A skill with its whole SKILL.md text and the personas that bundle it.

    From SkillQuerySet.in_detail.
    """

    schema = component(
        "SkillDetail",
        object_schema(
            {
                **SkillSerializer.fields_schema,
                "content": described(TEXT, "The whole SKILL.md, frontmatter included."),
                "personas": array(
                    component(
                        "BundlingPersona",
                        object_schema({"slug": SLUG_SCHEMA, "title": TITLE_SCHEMA}),
                    )
                ),
            }
        ),
    )

    def to_representation(self, skill):
        return {
            **super().to_representation(skill),
            "content": skill.content,
            "personas": skill.bundling,
        }


class PersonaSerializer(EntrySerializer):
    """A persona in a list, from PersonaQuerySet.with_skill_slugs."""

    fields_schema = {
        "personaId": identifier("persona"),
        **EntrySerializer.fields_schema,
        "priceCents": COUNT,
        "isFree": described(FLAG, "Only free personas can be installed over this API."),
        "skills": described(array(SLUG_SCHEMA), "The slugs of the skills that come with it."),
        "installs": COUNT,
        "ratingAvg": described(nullable(RATING), "Null without reviews."),
        "ratingCount": COUNT,
    }
    schema = component("Persona", object_schema(fields_schema))
    page_schema = component("PersonaPage", page_of(schema))

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
                "description": TEXT,
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
                "average": nullable(RATING),
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
                "content": described(nullable(TEXT), "The prompt; null while it has a price."),
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
