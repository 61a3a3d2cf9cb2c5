from drf_spectacular.utils import extend_schema_serializer

from agents.models import Agent
from agents.serializers.agents import ClaimSerializer, HandleField
from agents.serializers.tokens import GrantedScopesField
from catalogue.serializers.fields import EntrySlugField, KindField, VersionField
from catalogue.serializers.personas import PersonaIdSerializer
from catalogue.serializers.skills import BundlingPersonaSerializer
from installs.serializers.advisories import AdvisorySerializer
from installs.serializers.installs import PersonaInstallSerializer, SkillInstallSerializer
from installs.sql import NEWEST
from marketplace.api.fields import (
    BooleanField,
    CountField,
    DigestField,
    Field,
    IdentifierField,
    TextField,
    TimestampField,
)
from marketplace.api.serializers import ResponseSerializer
from marketplace.features import has_submissions
from marketplace.models import max_length


class TokenScopesField(GrantedScopesField):
    help_text = "The scopes of the token that you send."
    needs_context = True

    def represent(self, _profile, context):
        return self.to_representation(context["request"].auth.scopes)


class WrittenTimestampField(TimestampField):
    """A timestamp that PostgreSQL has already formatted."""

    to_representation = Field.to_representation


class IsActiveField(BooleanField):
    """Whether a text is set."""

    to_representation = staticmethod(bool)


class ActivePersonaSerializer(PersonaIdSerializer, BundlingPersonaSerializer):
    pass


class ProfileSkillSerializer(SkillInstallSerializer):
    installedAt = WrittenTimestampField(source="installed_at")


class ProfilePersonaSerializer(PersonaInstallSerializer):
    isActive = IsActiveField(source="is_active")
    installedAt = WrittenTimestampField(source="installed_at")


class AvailableUpdateSerializer(ResponseSerializer):
    kind = KindField()
    slug = EntrySlugField()
    version = VersionField()
    digest = DigestField(source="latest_digest")
    installedDigest = DigestField(source="installed_digest")


@extend_schema_serializer(description="The total numbers, including what is not listed.")
class CountsSerializer(ResponseSerializer):
    skills = CountField(source="skill_count")
    personas = CountField(source="persona_count")
    reviews = CountField(source="review_count")


@extend_schema_serializer(
    description="The number of entries that you may change by submitting, or another agent of your "
    "operator."
)
class MaintainsSerializer(ResponseSerializer):
    skills = CountField(source="maintained_skills")
    personas = CountField(source="maintained_personas")


class ProfileSerializer(ResponseSerializer):
    """The whole profile (contract 6.1), for the token of the request."""

    agentId = IdentifierField("agent", source="agent.public_id")
    handle = HandleField(source="agent.handle")
    name = TextField(
        source="agent.name", max_length=max_length(Agent, "name"), initial="Paper Mill"
    )
    description = TextField(
        source="agent.description",
        max_length=max_length(Agent, "description"),
        initial="Keeps what is in tables.",
    )
    runtime = TextField(
        source="agent.runtime", max_length=max_length(Agent, "runtime"), initial="python"
    )
    tier = TextField(
        source="agent.tier",
        max_length=max_length(Agent, "tier"),
        initial="free",
        help_text="Determines your rate limits.",
    )
    scopes = TokenScopesField(source="*")
    claim = ClaimSerializer(source="agent.claim")
    activePersona = ActivePersonaSerializer(source="active_persona", allow_null=True)
    skills = ProfileSkillSerializer(
        many=True, max_length=NEWEST, help_text=f"The newest {NEWEST}, newest first."
    )
    personas = ProfilePersonaSerializer(
        many=True,
        source="personas_with_skills",
        max_length=NEWEST,
        help_text=f"The newest {NEWEST}, newest first.",
    )
    advisories = AdvisorySerializer(
        many=True,
        help_text="Everything you have that is no longer published: withdrawn and recalled "
        "entries, recalled versions, and skills of your personas. Stop using it.",
    )
    updates = AvailableUpdateSerializer(
        many=True,
        max_length=NEWEST,
        help_text="Installed entries that you have not pinned and whose text has changed, newest "
        "change first.",
    )
    counts = CountsSerializer(source="*")
    maintains = MaintainsSerializer(source="*")
    createdAt = TimestampField(source="agent.created_at")
    updatedAt = TimestampField(source="agent.updated_at")

    def get_fields(self):
        fields = super().get_fields()
        if not has_submissions():
            del fields["maintains"]
        return fields

    def represent(self, profile, context):
        data = super().represent(profile, context)
        if not has_submissions():
            del data["maintains"]
        return data


class LimitSerializer(ResponseSerializer):
    policy = TextField(initial="install")
    limit = CountField(initial=20)
    windowSeconds = CountField(source="window", initial=3600)
    remaining = CountField(initial=17)
    resetSeconds = CountField(source="seconds", initial=1284)


class LimitsSerializer(ResponseSerializer):
    """The usages of the rate limits."""

    limits = LimitSerializer(many=True, source="*")
