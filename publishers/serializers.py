from agents.serializers.tokens import (
    ExpiresAtField,
    GrantedScopesField,
    TokenTextField,
    TokenTypeField,
)
from marketplace.api.fields import MessageField, TextField
from marketplace.api.serializers import BodySerializer, ResponseSerializer

EXAMPLE = "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2dpdGxhYi5jb20ifQ.c2lnbmVk"


class ExchangeSerializer(BodySerializer):
    token = TextField(initial=EXAMPLE, help_text="The token that CI gave to the run: a JWT.")


class ExchangedTokenSerializer(ResponseSerializer):
    message = MessageField("Token issued")
    token = TokenTextField(source="text")
    tokenType = TokenTypeField()
    scopes = GrantedScopesField()
    tokenExpiresAt = ExpiresAtField(source="expires_at")
