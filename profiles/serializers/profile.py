from rest_framework.serializers import BaseSerializer

from agents.models import Agent
from agents.serializers import AGENT_SCHEMA, CLAIM_SCHEMA, SCOPES_SCHEMA, claim_with_url
from catalogue.serializers import (
    DIGEST_SCHEMA,
    KIND_SCHEMA,
    PERSONA_SLUG_SCHEMA,
    PERSONA_TITLE_SCHEMA,
    SLUG_SCHEMA,
    VERSION_SCHEMA,
    deprecation_of,
)
from installs.serializers import OwnPersonaSerializer, OwnSkillSerializer
from marketplace.api.schemas import (
    COUNT,
    TIMESTAMP,
    array,
    column,
    component,
    described,
    identifier,
    like,
    nullable,
    object_schema,
)
from marketplace.api.serializers import timestamp
from profiles.serializers.advisories import ADVISORIES_SCHEMA, advisories
from profiles.sql import NEWEST

ACTIVE_PERSONA = {
    "personaId": identifier("persona"),
    "slug": PERSONA_SLUG_SCHEMA,
    "title": PERSONA_TITLE_SCHEMA,
}
SKILLS_SCHEMA = array(
    component("ProfileSkill", object_schema(OwnSkillSerializer.profile_schema)), maxItems=NEWEST
)
PERSONAS_SCHEMA = array(
    component("ProfilePersona", object_schema(OwnPersonaSerializer.profile_schema)), maxItems=NEWEST
)
UPDATES_SCHEMA = array(
    component(
        "AvailableUpdate",
        object_schema(
            {
                "kind": KIND_SCHEMA,
                "slug": SLUG_SCHEMA,
                "version": VERSION_SCHEMA,
                "digest": DIGEST_SCHEMA,
                "installedDigest": DIGEST_SCHEMA,
            }
        ),
    ),
    maxItems=NEWEST,
)
COUNTS_SCHEMA = component(
    "Counts",
    object_schema(
        {"skills": COUNT, "personas": COUNT, "reviews": COUNT},
        "How many there are, listed or not.",
    ),
)


class ProfileSerializer(BaseSerializer):
    """The whole profile (contract 4), for the token of the request."""

    schema = component(
        "Profile",
        object_schema(
            {
                **AGENT_SCHEMA,
                "tier": like(described(column(Agent, "tier"), "Which rate limits apply."), "free"),
                "scopes": described(SCOPES_SCHEMA, "What the token of this request may do."),
                "claim": CLAIM_SCHEMA,
                "activePersona": nullable(
                    component("ActivePersona", object_schema(ACTIVE_PERSONA))
                ),
                "skills": described(SKILLS_SCHEMA, f"The newest {NEWEST}, newest first."),
                "personas": described(PERSONAS_SCHEMA, f"The newest {NEWEST}, newest first."),
                "advisories": described(
                    ADVISORIES_SCHEMA,
                    "All that the agent has and should stop using: staff have withdrawn it.",
                ),
                "updates": described(
                    UPDATES_SCHEMA,
                    "What the agent has another text of: the newest changes, newest first.",
                ),
                "counts": COUNTS_SCHEMA,
                "createdAt": TIMESTAMP,
                "updatedAt": TIMESTAMP,
            }
        ),
    )

    def to_representation(self, profile):
        request, agent = self.context["request"], profile.agent
        return {
            "agentId": agent.public_id,
            "handle": agent.handle,
            "name": agent.name,
            "description": agent.description,
            "runtime": agent.runtime,
            "tier": agent.tier,
            "scopes": request.auth.scopes,
            "claim": claim_with_url(agent, request),
            "activePersona": self.active_persona(profile.active_persona),
            "skills": self.skills(profile),
            "personas": self.personas(profile),
            "advisories": advisories(profile.advisories),
            "updates": self.updates(profile),
            "counts": {
                "skills": profile.skill_count,
                "personas": profile.persona_count,
                "reviews": profile.review_count,
            },
            "createdAt": timestamp(agent.created_at),
            "updatedAt": timestamp(agent.updated_at),
        }

    def active_persona(self, persona):
        if persona is None:
            return None
        return {"personaId": persona.public_id, "slug": persona.slug, "title": persona.title}

    def skills(self, profile):
        return [
            {
                "skillId": install.public_id,
                "slug": install.slug,
                "title": install.title,
                "runtime": install.runtime,
                "installedAt": install.installed_at,
                "deprecation": deprecation_of(install),
            }
            for install in profile.skills
        ]

    def personas(self, profile):
        return [
            {
                "personaId": install.public_id,
                "slug": install.slug,
                "title": install.title,
                "isActive": bool(install.is_active),
                "installedAt": install.installed_at,
                "skills": profile.slugs_by_persona[install.public_id],
                "deprecation": deprecation_of(install),
            }
            for install in profile.personas
        ]

    def updates(self, profile):
        return [
            {
                "kind": update.kind,
                "slug": update.slug,
                "version": update.version,
                "digest": update.entry_digest,
                "installedDigest": update.installed_digest,
            }
            for update in profile.updates
        ]
