from rest_framework.serializers import BaseSerializer

from marketplace.api.serializers import number, timestamp


class EntrySerializer(BaseSerializer):
    """What skills and personas show alike, in a list and in detail."""

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

    def to_representation(self, skill):
        return {
            **super().to_representation(skill),
            "content": skill.content,
            "personas": skill.bundling,
        }


class PersonaSerializer(EntrySerializer):
    """A persona in a list, from PersonaQuerySet.with_skill_slugs."""

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
        return persona.bundled
