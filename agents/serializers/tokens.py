from agents import tokens
from agents.models import AgentToken
from marketplace.api.fields import (
    BooleanField,
    ChoiceField,
    CountField,
    Field,
    IdentifierField,
    ListField,
    MessageField,
    NullField,
    PublicNameField,
    TextField,
    TimestampField,
    WholeNumberField,
)
from marketplace.api.scopes import DEFAULT_SCOPES, known_scopes
from marketplace.api.serializers import BodySerializer, ResponseSerializer
from marketplace.models import max_length

EXAMPLE = "mkt_agent_PKpIAT1ZoFOofpgW1iTmq6LovhpHk85v4PVV8p"
MAX_NAME = max_length(AgentToken, "name")


class ScopesField(Field):
    """Some of the scopes, in a fixed order and without duplicates."""

    default_error_messages = {"invalid": "{field_name} must be a list of one or more of {names}"}

    def text_of(self, key):
        return self.error_messages[key].format(
            field_name=self.field_name, names=", ".join(known_scopes())
        )

    @property
    def keywords(self):
        # Inlined, for MCP's tools.
        items = {"type": "string", "enum": known_scopes()}
        return {"type": "array", "items": items, "minItems": 1}

    def to_internal_value(self, data):
        known = known_scopes()
        if not isinstance(data, list) or not data or any(scope not in known for scope in data):
            self.fail("invalid")
        return [scope for scope in known if scope in data]


class CreateTokenSerializer(BodySerializer):
    name = PublicNameField(
        default="",
        max_length=MAX_NAME,
        initial="laptop",
        help_text="A label, such as where you use the token. No control characters.",
    )
    scopes = ScopesField(
        default=None,
        initial=["read", "install"],
        help_text="At most the scopes of the token that you send, which are the default. `clone` "
        "only reads git repositories. A token with `read` can create one with `clone`.",
    )
    expiresInDays = WholeNumberField(
        source="expires_in_days",
        default=None,
        min_value=1,
        max_value=365,
        initial=90,
        help_text="It cannot outlive the token that you send. By default, both expire together.",
    )


class RotateTokenSerializer(BodySerializer):
    graceSeconds = WholeNumberField(
        default=0,
        min_value=0,
        max_value=24 * 3600,
        initial=60,
        help_text="How long the old token can still read, in seconds. 0 by default.",
    )


class LeakedTokenSerializer(BodySerializer):
    token = TextField(initial=EXAMPLE, help_text="The complete text of the token.")


class GrantedScopesField(ListField):
    initial = list(DEFAULT_SCOPES)

    def __init__(self, **options):
        super().__init__(ChoiceField(known_scopes(), component="Scope"), **options)

    def to_representation(self, value):
        known = known_scopes()
        return [scope for scope in value if scope in known]


class TokenTextField(TextField):
    help_text = "The bearer token. Store it: it is shown only once."
    pattern = f"^{tokens.PATTERN.pattern}$"
    initial = EXAMPLE


class TokenTypeField(ChoiceField):
    def __init__(self):
        super().__init__(["Bearer"], source="*")

    def to_representation(self, _row):
        return "Bearer"


class ExpiresAtField(TimestampField):
    help_text = "Null if it does not expire."
    initial = None

    def __init__(self, **options):
        super().__init__(allow_null=True, **options)


class IsCurrentField(BooleanField):
    help_text = "Whether this is the token that you sent."
    needs_context = True

    def represent(self, token, context):
        return token == context["request"].auth


class CreatedTokenSerializer(ResponseSerializer):
    message = MessageField("Token created. Store it now: it is shown only once.")
    tokenId = IdentifierField("token", source="public_id")
    name = TextField(max_length=MAX_NAME, initial="laptop")
    token = TokenTextField(source="text")
    tokenType = TokenTypeField()
    scopes = GrantedScopesField()
    tokenExpiresAt = ExpiresAtField(source="expires_at")
    createdAt = TimestampField(source="created_at")


class RotatedTokenSerializer(CreatedTokenSerializer):
    message = MessageField("Token rotated. Store the new one now: it is shown only once.")
    previousTokenExpiresAt = TimestampField(
        source="previous.expires_at",
        help_text="When the old token ends. Until then it can only read.",
    )


class IssuedTokenSerializer(ResponseSerializer):
    tokenId = IdentifierField("token", source="public_id")
    name = TextField(max_length=MAX_NAME, initial="laptop")
    hint = TextField(
        initial=tokens.hint(EXAMPLE), help_text="The start and end of the token's text."
    )
    scopes = GrantedScopesField()
    createdAt = TimestampField(source="created_at")
    lastUsedAt = TimestampField(
        source="last_used_at", allow_null=True, help_text="Accurate to 15 minutes."
    )
    expiresAt = ExpiresAtField(source="expires_at")


class TokenSerializer(IssuedTokenSerializer):
    isCurrent = IsCurrentField(source="*")


class TokenPageSerializer(ResponseSerializer):
    """An agent's usable tokens, all on one page."""

    results = TokenSerializer(many=True)
    count = CountField()
    next = NullField()
    previous = NullField()

    def to_representation(self, usable):
        page = {"results": usable, "count": len(usable), "next": None, "previous": None}
        return super().to_representation(page)


class RevokedTokenSerializer(ResponseSerializer):
    message = MessageField("Token revoked")
    tokenId = IdentifierField("token", source="public_id")


class RevokedLeakSerializer(ResponseSerializer):
    """The same for every text, so that it does not tell whether the token exists."""

    message = MessageField("If the token existed, it is revoked")
