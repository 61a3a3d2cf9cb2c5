import re
from functools import cache

from django.urls import reverse
from rest_framework.serializers import BaseSerializer

from agents import handles
from marketplace.api.serializers import (
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
            "claim": claim_with_url(agent, self.context["request"]),
            "createdAt": timestamp(agent.created_at),
        }
