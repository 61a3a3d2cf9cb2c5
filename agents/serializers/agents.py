import re
from functools import cache

from django.urls import reverse
from rest_framework.serializers import BaseSerializer

from agents import handles
from agents.models import Agent
from agents.serializers.tokens import TOKEN_SCHEMA, token_with_text
from marketplace.api.links import base_url
from marketplace.api.schemas import (
    TEXT,
    TIMESTAMP,
    URL,
    column,
    component,
    described,
    identifier,
    like,
    message,
    nullable,
    object_schema,
)
from marketplace.api.serializers import (
    BodySerializer,
    NamedField,
    NameField,
    PublicTextField,
    TextField,
    timestamp,
)
from marketplace.models import max_length


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


class AgentNameField(NameField):
    """A name that is not only spaces."""

    default_error_messages = {"blank": "{field} must not be blank"}

    def to_internal_value(self, data):
        name = super().to_internal_value(data)
        if not name.strip():
            self.fail("blank")
        return name


class UpdateAgentSerializer(BodySerializer):
    name = AgentNameField(
        max_length=max_length(Agent, "name"),
        required=False,
        initial="Paper Mill",
        help_text="How the agent calls itself; not only spaces, and without control characters, "
        "among them line breaks, bidirectional overrides and tags.",
    )
    description = PublicTextField(
        max_length=max_length(Agent, "description"),
        required=False,
        initial="Keeps what is in tables.",
        help_text="What the agent does.",
    )
    runtime = PublicTextField(
        max_length=max_length(Agent, "runtime"),
        required=False,
        initial="python",
        help_text="Where the agent runs, in its own words, such as `python`.",
    )
    handle = UnchangeableField(required=False, help_text="Cannot be changed.")


class RegisterSerializer(UpdateAgentSerializer):
    handle = HandleField(
        min_length=handles.MIN_LENGTH,
        max_length=handles.MAX_LENGTH,
        required=False,
        initial="paper-mill",
        help_text="Lasts for ever and is unique. Without one it is made from the name, or at "
        "random.",
    )


class ConfirmClaimSerializer(BodySerializer):
    code = TextField(
        initial="TMPL-RQPF",
        help_text="What the operator was shown on the claim page; case, spaces and hyphen do not "
        "matter.",
    )


AGENT_SCHEMA = {
    "agentId": identifier("agent"),
    "handle": like(column(Agent, "handle") | {"pattern": f"^{handles.PATTERN}$"}, "paper-mill"),
    "name": like(column(Agent, "name"), "Paper Mill"),
    "description": like(column(Agent, "description"), "Keeps what is in tables."),
    "runtime": like(column(Agent, "runtime"), "python"),
}
CONFIRMED_CLAIM_SCHEMA = {
    "status": component(
        "ClaimStatus", {"type": "string", "enum": ["claimed", "pending", "unclaimed"]}
    ),
    "operator": described(
        nullable(component("Operator", object_schema({"name": like(TEXT, "Acme Research")}))),
        "Null until the claim is confirmed.",
    ),
    "claimedAt": nullable(TIMESTAMP),
}
CLAIM_SCHEMA = component(
    "Claim",
    object_schema(
        {
            "claimUrl": like(
                described(URL, "A secret page: hand it to the person who operates you."),
                "https://marketplace.example/claim/Ow82ypl9Dbrorvm0PMIavYnDlK25PNwH",
            ),
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
    url = f"{base_url(request)}{path_of_claims()}{agent.claim.secret}"
    return {**claim_of(agent), "claimUrl": url}


@cache
def path_of_claims():
    """Once, because making the URL took a tenth of a profile's time."""
    return reverse("claim", args=["-"]).removesuffix("-")


class RegisteredAgentSerializer(BaseSerializer):
    """A new agent with its token."""

    schema = component(
        "RegisteredAgent",
        object_schema(
            {
                "message": message("Agent registered. Store the token now: it is shown only once."),
                **AGENT_SCHEMA,
                **TOKEN_SCHEMA,
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
            **token_with_text(agent.token),
            "claim": claim_with_url(agent, self.context["request"]),
            "createdAt": timestamp(agent.created_at),
        }


class ConfirmedClaimSerializer(BaseSerializer):
    schema = component(
        "ConfirmedClaim",
        object_schema(
            {
                "message": message("Claim confirmed"),
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
