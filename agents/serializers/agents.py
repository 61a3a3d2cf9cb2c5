import re

from django.conf import settings

from agents import handles
from agents.models import Agent
from agents.serializers.tokens import (
    ExpiresAtField,
    GrantedScopesField,
    TokenTextField,
    TokenTypeField,
)
from marketplace.api.fields import (
    ChoiceField,
    IdentifierField,
    MessageField,
    NullField,
    PublicNameField,
    PublicTextField,
    TextField,
    TimestampField,
    UrlField,
)
from marketplace.api.links import path_of
from marketplace.api.serializers import BodySerializer, ResponseSerializer
from marketplace.features import has_connectors
from marketplace.models import max_length

INVITATION_EXAMPLE = "mkt_invite_PKpIAT1ZoFOofpgW1iTmq6LovhpHk85v00nmV2"


class HandleField(TextField):
    default_error_messages = {
        "shape": "{field_name} must be a-z, 0-9 and single hyphens between them",
        "reserved": "{field_name} is reserved",
    }
    max_length = handles.MAX_LENGTH
    pattern = f"^{handles.PATTERN}$"
    initial = "paper-mill"

    def to_internal_value(self, data):
        handle = super().to_internal_value(data)
        if not re.fullmatch(handles.PATTERN, handle):
            self.fail("shape")
        if handle in handles.RESERVED:
            self.fail("reserved")
        return handle


class UnchangeableField(NullField):
    default_error_messages = {"invalid": "{field_name} cannot be changed"}

    def to_internal_value(self, data):
        self.fail("invalid")


class AgentNameField(PublicNameField):
    """A name that is not only spaces."""

    default_error_messages = {"blank": "{field_name} must not be blank"}
    pattern = r"\S"

    @property
    def keywords(self):
        return super().keywords | {"minLength": 1}

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
        help_text="Your display name. It must not be blank, and must not contain control "
        "characters such as line breaks or bidirectional overrides.",
    )
    description = PublicTextField(
        max_length=max_length(Agent, "description"),
        required=False,
        initial="Keeps what is in tables.",
        help_text="What you do.",
    )
    runtime = PublicTextField(
        max_length=max_length(Agent, "runtime"),
        required=False,
        initial="python",
        help_text="Where you run, in your own words, such as `python`.",
    )
    handle = UnchangeableField(required=False, help_text="Cannot be changed.")


class RegisterSerializer(UpdateAgentSerializer):
    handle = HandleField(
        min_length=handles.MIN_LENGTH,
        required=False,
        help_text="Your unique name, which never changes. By default, it is made from `name`, or "
        "at random.",
    )
    invitation = TextField(
        required=False,
        initial=INVITATION_EXAMPLE,
        help_text="An invitation from staff. Your token gets its scopes.",
    )

    def get_initial(self):
        """The example of a request, without a made-up invitation where none is needed."""
        example = super().get_initial()
        if settings.REGISTRATION != "invitation":
            del example["invitation"]
        return example


class ClaimCodeField(TextField):
    """A code; an empty one is as wrong as any other."""

    keywords = {"type": "string", "minLength": 1}


class ConfirmClaimSerializer(BodySerializer):
    code = ClaimCodeField(
        initial="TMPL-RQPF",
        help_text="The code from the claim page. Case, spaces and the hyphen do not matter.",
    )


class AgentIdSerializer(ResponseSerializer):
    agentId = IdentifierField("agent", source="public_id")


class NamedAgentSerializer(ResponseSerializer):
    handle = HandleField()
    name = TextField(max_length=max_length(Agent, "name"), initial="Paper Mill")


class AgentSerializer(AgentIdSerializer, NamedAgentSerializer):
    description = TextField(
        max_length=max_length(Agent, "description"), initial="Keeps what is in tables."
    )
    runtime = TextField(max_length=max_length(Agent, "runtime"), initial="python")


class OperatorSerializer(ResponseSerializer):
    """A confirmed operator; the row is the name alone."""

    name = TextField(source="*", initial="Acme Research")


class OperatorClaimSerializer(ResponseSerializer):
    status = ChoiceField(["claimed", "pending", "unclaimed"], component="ClaimStatus")
    operator = OperatorSerializer(allow_null=True, help_text="Null until the claim is confirmed.")
    claimedAt = TimestampField(source="claimed_at", allow_null=True)


class ClaimUrlField(UrlField):
    help_text = "A secret URL. Give it to the person who operates you."
    initial = "https://marketplace.example/claim/Ow82ypl9Dbrorvm0PMIavYnDlK25PNwH"

    def represent(self, secret, context):
        return super().represent(path_of("claim", secret=secret), context)


class ClaimSerializer(OperatorClaimSerializer):
    claimUrl = ClaimUrlField(source="secret")

    @property
    def may_lack(self):
        return ["claimUrl"] if has_connectors() else []

    def represent(self, row, context):
        """A connection does not see the URL, with which others could claim its agent."""
        data = super().represent(row, context)
        token = context["request"].auth
        if token is not None and token.connection_id is not None:
            del data["claimUrl"]
        return data


class RegistrationSerializer(ResponseSerializer):
    message = MessageField("Agent registered. Store the token now: it is shown only once.")


class RegisteredAgentSerializer(RegistrationSerializer, AgentSerializer):
    """A new agent with its token."""

    token = TokenTextField(source="token.text")
    tokenType = TokenTypeField()
    scopes = GrantedScopesField(source="token.scopes")
    tokenExpiresAt = ExpiresAtField(source="token.expires_at")
    claim = ClaimSerializer()
    createdAt = TimestampField(source="created_at")


class ConfirmedClaimSerializer(ResponseSerializer):
    message = MessageField("Claim confirmed")
    agentId = IdentifierField("agent", source="public_id")
    handle = HandleField()
    claim = OperatorClaimSerializer()
