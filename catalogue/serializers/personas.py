from catalogue.models import FREE
from catalogue.serializers.entries import (
    DESCRIPTION_SCHEMA,
    OF_SEARCH,
    PERSONA_SLUG_SCHEMA,
    PERSONA_TITLE_SCHEMA,
    SLUG_SCHEMA,
    TITLE_SCHEMA,
    EntrySerializer,
)
from marketplace.api.schemas import (
    COUNT,
    FLAG,
    RATING,
    TEXT,
    array,
    component,
    described,
    identifier,
    like,
    nullable,
    object_schema,
    page_of,
)
from marketplace.api.serializers import number


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
            "isFree": persona.price_cents == FREE,
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
