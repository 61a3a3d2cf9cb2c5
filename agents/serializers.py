import re

from django.urls import reverse
from rest_framework.serializers import BaseSerializer

from agents import handles
from agents.models import PROFILE_ROWS
from marketplace.serializers import (
    BodySerializer,
    KeptTextField,
    NamedField,
    TextField,
    timestamp,
)


class HandleField(TextField):
    default_error_messages = {
        "shape": "{field} must be a-z, 0-9 and single hyphens between them",
        "reserved": "{field} is reserved",
    }

    def to_internal_value(self, data):
        handle = super().to_internal_value(data)
        if not re.fullmatch(handles.SHAPE, handle):
            self.fail("shape")
        if handle in handles.RESERVED:
            self.fail("reserved")
        return handle


class UnchangeableField(NamedField):
    default_error_messages = {"invalid": "{field} cannot be changed"}

    def to_internal_value(self, data):
        self.fail("invalid")


class NameField(KeptTextField):
    """1 to 80 characters, not only spaces."""

    default_error_messages = {"blank": "{field} must not be blank"}

    def __init__(self, **options):
        super().__init__(max_length=80, **options)

    def to_internal_value(self, data):
        name = super().to_internal_value(data)
        if not name.strip():
            self.fail("blank")
        return name


class UpdateAgentSerializer(BodySerializer):
    name = NameField(required=False)
    description = KeptTextField(max_length=500, required=False)
    runtime = KeptTextField(max_length=64, required=False)
    handle = UnchangeableField(required=False)


class RegisterSerializer(UpdateAgentSerializer):
    handle = HandleField(
        min_length=handles.MIN_LENGTH, max_length=handles.MAX_LENGTH, required=False
    )


class ConfirmClaimSerializer(BodySerializer):
    code = TextField()


class ClaimSerializer(BaseSerializer):
    def to_representation(self, claim):
        """Needs the `request` in its context, which the claim URL is absolute by."""
        path = reverse("claim", args=[claim.secret])
        return {
            "status": claim.status,
            "claimUrl": self.context["request"].build_absolute_uri(path),
            **ConfirmedClaimSerializer(claim).data,
        }


class ConfirmedClaimSerializer(BaseSerializer):
    def to_representation(self, claim):
        return {
            "status": claim.status,
            "operator": None if claim.operator is None else {"name": claim.operator},
            "claimedAt": timestamp(claim.claimed_at),
        }


class RegisteredAgentSerializer(BaseSerializer):
    """A new agent with its token: the one answer in which the token's text appears."""

    def to_representation(self, agent):
        return {
            "message": "Agent registered. Store the token now: it is shown only once.",
            "agentId": agent.public_id,
            "handle": agent.handle,
            "name": agent.name,
            "description": agent.description,
            "runtime": agent.runtime,
            "token": agent.token.text,
            "tokenType": "Bearer",
            "scopes": agent.token.scopes,
            "tokenExpiresAt": timestamp(agent.token.expires_at),
            "claim": ClaimSerializer(agent.claim, context=self.context).data,
            "createdAt": timestamp(agent.created_at),
        }


class ProfileSerializer(BaseSerializer):
    """The whole profile (contract 4). Installs and reviews are reached from the agent's side."""

    def to_representation(self, agent):
        personas = agent.persona_installs.newest()
        active = next((install for install in personas if install.is_active), None)
        if active is None and len(personas) == PROFILE_ROWS:
            active = agent.persona_installs.with_personas().filter(is_active=True).first()
        return {
            "agentId": agent.public_id,
            "handle": agent.handle,
            "name": agent.name,
            "description": agent.description,
            "runtime": agent.runtime,
            "tier": agent.tier,
            "scopes": self.context["request"].auth.scopes,
            "claim": ClaimSerializer(agent.claim, context=self.context).data,
            "activePersona": active and persona_of(active),
            "skills": [
                {
                    "skillId": install.skill.public_id,
                    "slug": install.skill.slug,
                    "title": install.skill.title,
                    "runtime": install.runtime,
                    "installedAt": timestamp(install.installed_at),
                }
                for install in agent.skill_installs.newest()
            ],
            "personas": [
                {
                    **persona_of(install),
                    "isActive": install.is_active,
                    "installedAt": timestamp(install.installed_at),
                    "skills": install.skill_slugs,
                }
                for install in personas
            ],
            "advisories": [
                {
                    "kind": advisory["kind"],
                    "slug": advisory["slug"],
                    "title": advisory["title"],
                    "reason": advisory["reason"],
                    "withdrawnAt": timestamp(advisory["since"]),
                }
                for advisory in agent.persona_installs.advisories()
            ],
            "counts": agent.counts(),
            "createdAt": timestamp(agent.created_at),
            "updatedAt": timestamp(agent.updated_at),
        }


def persona_of(install):
    persona = install.persona
    return {"personaId": persona.public_id, "slug": persona.slug, "title": persona.title}
