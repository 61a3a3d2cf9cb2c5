from rest_framework.serializers import BaseSerializer

from agents import tokens
from agents.models import AgentToken
from marketplace.api.permissions import Scope
from marketplace.api.schemas import (
    COUNT,
    FLAG,
    TEXT,
    TIMESTAMP,
    array,
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
    TextField,
    WholeNumberField,
    timestamp,
)
from marketplace.models import max_length

EXAMPLE = "mkt_agent_PKpIAT1ZoFOofpgW1iTmq6LovhpHk85v4PVV8p"


class ScopesField(NamedField):
    """Some of the scopes, each once and in their order."""

    default_error_messages = {
        "invalid": f"{{field}} must be a list of one or more of {', '.join(Scope.values)}"
    }

    def to_internal_value(self, data):
        if not isinstance(data, list) or not data or any(each not in Scope.values for each in data):
            self.fail("invalid")
        return [scope for scope in Scope.values if scope in data]


class CreateTokenSerializer(BodySerializer):
    name = NameField(
        default="",
        max_length=max_length(AgentToken, "name"),
        initial="laptop",
        help_text="What you know it by, such as where it is used; without control characters.",
    )
    scopes = ScopesField(
        default=None,
        initial=["read", "install"],
        help_text="What it may do: at most what the token of this request may, which is the "
        "default.",
    )
    expiresInDays = WholeNumberField(
        default=None,
        min_value=1,
        max_value=365,
        initial=90,
        help_text="It expires with the token of this request at the latest, and by default.",
    )


class RotateTokenSerializer(BodySerializer):
    graceSeconds = WholeNumberField(
        default=0,
        min_value=0,
        max_value=24 * 3600,
        initial=60,
        help_text="For how long the token of this request can still read; 0 by default.",
    )


class LeakedTokenSerializer(BodySerializer):
    token = TextField(initial=EXAMPLE, help_text="The whole text of the token.")


SCOPES_SCHEMA = like(
    array(component("Scope", {"type": "string", "enum": Scope.values})), Scope.values
)
NAME_SCHEMA = like(column(AgentToken, "name"), "laptop")
# A token in the one response that shows its text.
TOKEN_SCHEMA = {
    "token": {
        "type": "string",
        "pattern": f"^{tokens.PATTERN.pattern}$",
        "description": "The bearer token. Keep it: it is shown here and never again.",
        "examples": [EXAMPLE],
    },
    "tokenType": {"type": "string", "enum": ["Bearer"]},
    "scopes": SCOPES_SCHEMA,
    "tokenExpiresAt": like(described(nullable(TIMESTAMP), "Null: it does not expire."), None),
}


def token_with_text(token):
    return {
        "token": token.text,
        "tokenType": "Bearer",
        "scopes": token.scopes,
        "tokenExpiresAt": timestamp(token.expires_at),
    }


class CreatedTokenSerializer(BaseSerializer):
    text = "Token created. Store it now: it is shown only once."
    fields_schema = {
        "message": message(text),
        "tokenId": identifier("token"),
        "name": NAME_SCHEMA,
        **TOKEN_SCHEMA,
        "createdAt": TIMESTAMP,
    }
    schema = component("CreatedToken", object_schema(fields_schema))

    def to_representation(self, token):
        return {
            "message": self.text,
            "tokenId": token.public_id,
            "name": token.name,
            **token_with_text(token),
            "createdAt": timestamp(token.created_at),
        }


class RotatedTokenSerializer(CreatedTokenSerializer):
    text = "Token rotated. Store the new one now: it is shown only once."
    schema = component(
        "RotatedToken",
        object_schema(
            {
                **CreatedTokenSerializer.fields_schema,
                "message": message(text),
                "previousTokenExpiresAt": described(
                    TIMESTAMP, "When the token of the request ends; until then it can only read."
                ),
            }
        ),
    )

    def to_representation(self, token):
        return {
            **super().to_representation(token),
            "previousTokenExpiresAt": timestamp(token.previous.expires_at),
        }


class TokensSerializer(BaseSerializer):
    """The usable tokens of an agent, all on one page."""

    row_schema = component(
        "Token",
        object_schema(
            {
                "tokenId": identifier("token"),
                "name": NAME_SCHEMA,
                "hint": like(
                    described(TEXT, "The start and the end of its text."), tokens.hint(EXAMPLE)
                ),
                "scopes": SCOPES_SCHEMA,
                "createdAt": TIMESTAMP,
                "lastUsedAt": described(nullable(TIMESTAMP), "Exact to 15 minutes."),
                "expiresAt": like(
                    described(nullable(TIMESTAMP), "Null: it does not expire."), None
                ),
                "isCurrent": described(FLAG, "Whether it is the token of this request."),
            }
        ),
    )
    schema = component(
        "TokenPage",
        object_schema(
            {
                "results": array(row_schema),
                "count": COUNT,
                "next": {"type": "null", "examples": [None]},
                "previous": {"type": "null", "examples": [None]},
            }
        ),
    )

    def to_representation(self, usable):
        return {
            "results": [self.row(token) for token in usable],
            "count": len(usable),
            "next": None,
            "previous": None,
        }

    def row(self, token):
        return {
            "tokenId": token.public_id,
            "name": token.name,
            "hint": token.hint,
            "scopes": token.scopes,
            "createdAt": timestamp(token.created_at),
            "lastUsedAt": timestamp(token.last_used_at),
            "expiresAt": timestamp(token.expires_at),
            "isCurrent": token == self.context["request"].auth,
        }


class RevokedTokenSerializer(BaseSerializer):
    text = "Token revoked"
    schema = component(
        "RevokedToken",
        object_schema({"message": message(text), "tokenId": identifier("token")}),
    )

    def to_representation(self, token):
        return {"message": self.text, "tokenId": token.public_id}


class RevokedLeakSerializer(BaseSerializer):
    """The same whatever was sent: it does not tell whether there is such a token."""

    text = "If the token existed, it is revoked"
    schema = component("RevokedLeak", object_schema({"message": message(text)}))

    def to_representation(self, _text):
        return {"message": self.text}
