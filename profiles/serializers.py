from rest_framework.serializers import BaseSerializer

from agents.serializers import claim_with_url
from marketplace.api.serializers import timestamp


class ProfileSerializer(BaseSerializer):
    """The whole profile (contract 4), for the token of the request."""

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
            "skills": [self.skill(install) for install in profile.skills],
            "personas": [
                self.persona(install, profile.slugs_by_persona[install.public_id])
                for install in profile.personas
            ],
            "advisories": [self.advisory(entry) for entry in profile.recalled],
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

    def skill(self, install):
        return {
            "skillId": install.public_id,
            "slug": install.slug,
            "title": install.title,
            "runtime": install.runtime,
            "installedAt": install.installed_at,
        }

    def persona(self, install, skills):
        return {
            "personaId": install.public_id,
            "slug": install.slug,
            "title": install.title,
            "isActive": install.is_active == "true",
            "installedAt": install.installed_at,
            "skills": skills,
        }

    def advisory(self, entry):
        return {
            "kind": entry.kind,
            "slug": entry.slug,
            "title": entry.title,
            "reason": entry.withdrawal_reason,
            "withdrawnAt": timestamp(entry.withdrawn_at),
        }
