import re
from functools import cache

from django.urls import reverse
from rest_framework.serializers import BaseSerializer

from agents import handles, tokens
from agents.models import Agent
from marketplace.api.permissions import Scope
from marketplace.api.schemas import (
    MESSAGE,
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
from marketplace.api.serializers import (
    BodySerializer,
    NamedField,
    PublicTextField,
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
        if not re.fullmatch(handles.PATTERN, handle):
            self.fail("shape")
        if handle in handles.RESERVED:
            self.fail("reserved")
        return handle


class UnchangeableField(NamedField):
    default_error_messages = {"invalid": "{field} cannot be changed"}

    def to_internal_value(self, data):
        self.fail("invalid")


class NameField(PublicTextField):
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
    name = NameField(required=False, help_text="How the agent calls itself; not only spaces.")
    description = PublicTextField(max_length=500, required=False, help_text="What the agent does.")
    runtime = PublicTextField(
        max_length=64,
        required=False,
        help_text="Where the agent runs, in its own words, such as `python`.",
    )
    handle = UnchangeableField(required=False, help_text="Cannot be changed.")


class RegisterSerializer(UpdateAgentSerializer):
    handle = HandleField(
        min_length=handles.MIN_LENGTH,
        max_length=handles.MAX_LENGTH,
        required=False,
        help_text="Lasts for ever and is unique. Without one it is made from the name, or at "
        "random.",
    )


class ConfirmClaimSerializer(BodySerializer):
    code = TextField(
        help_text="What the operator was shown on the claim page; case, spaces and hyphen do not "
        "matter."
    )


SCOPES_SCHEMA = array(component("Scope", {"type": "string", "enum": Scope.values}))
AGENT_SCHEMA = {
    "agentId": identifier("agent"),
    "handle": column(Agent, "handle") | {"pattern": f"^{handles.PATTERN}$"},
    "name": column(Agent, "name"),
    "description": column(Agent, "description"),
    "runtime": column(Agent, "runtime"),
}
CONFIRMED_CLAIM_SCHEMA = {
    "status": component(
        "ClaimStatus", {"type": "string", "enum": ["unclaimed", "pending", "claimed"]}
    ),
    "operator": described(
        nullable(component("Operator", object_schema({"name": TEXT}))),
        "Null until the claim is confirmed.",
    ),
    "claimedAt": nullable(TIMESTAMP),
}
CLAIM_SCHEMA = component(
    "Claim",
    object_schema(
        {
            "claimUrl": described(URL, "A secret page: hand it to the person who operates you."),
            **CONFIRMED_CLAIM_SCHEMA,
        }
    ),
)


def claim_of(agent):
    claim = agent.claim
    return {
        "status": claim.status,
        "operator": None if claim.operator is None else {"name": claim.operator},
        "claimedAt": timestamp(claim.claimed_at),
    }


def claim_with_url(agent, request):
    root = f"{request.scheme}://{request.get_host()}{path_of_claims()}"
    return {**claim_of(agent), "claimUrl": root + agent.claim.secret}


@cache
def path_of_claims():
    """Once, because making the URL took a tenth of a profile's time."""
    return reverse("claim", args=["-"]).removesuffix("-")


class RegisteredAgentSerializer(BaseSerializer):
    """A new agent with its token: the one response in which the token's text appears."""

    schema = component(
        "RegisteredAgent",
        object_schema(
            {
                "message": MESSAGE,
                **AGENT_SCHEMA,
                "token": {
                    "type": "string",
                    "pattern": f"^{tokens.PATTERN.pattern}$",
                    "description": "The bearer token. Keep it: it is shown here and never again.",
                },
                "tokenType": {"type": "string", "enum": ["Bearer"]},
                "scopes": SCOPES_SCHEMA,
                "tokenExpiresAt": described(nullable(TIMESTAMP), "Null: it does not expire."),
                "claim": CLAIM_SCHEMA,
                "createdAt": TIMESTAMP,
            }
        ),
    )

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
            "claim": claim_with_url(agent, self.context["request"]),
            "createdAt": timestamp(agent.created_at),
        }


class ConfirmedClaimSerializer(BaseSerializer):
    schema = component(
        "ConfirmedClaim",
        object_schema(
            {
                "message": MESSAGE,
                "agentId": AGENT_SCHEMA["agentId"],
                "handle": AGENT_SCHEMA["handle"],
                "claim": component("OperatorClaim", object_schema(CONFIRMED_CLAIM_SCHEMA)),
            }
        ),
    )

    def to_representation(self, agent):
        return {
            "message": "Claim confirmed",
            "agentId": agent.public_id,
            "handle": agent.handle,
            "claim": claim_of(agent),
        }
