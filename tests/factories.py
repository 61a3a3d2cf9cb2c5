"""Rows to test with; an agent comes with its claim and, as `token`, a token of all scopes."""

from decimal import Decimal

import factory
from django.db import transaction
from django.utils import timezone
from factory.django import DjangoModelFactory

from agents.models import Agent, AgentToken, OperatorClaim, OperatorKey
from agents.tokens import digest, hint, mint_key
from catalogue.models import FileContent, Persona, Skill
from connections.models import AuthorizationCode, Connection, OAuthClient
from importing.folders import as_stored
from installs.models import PersonaInstall, SkillInstall
from marketplace.api.scopes import DEFAULT_SCOPES
from reviews.models import Review
from sources.models import Source
from submissions.models import Submission


class AgentFactory(DjangoModelFactory):
    class Meta:
        model = Agent

    handle = factory.Sequence("agent-{}".format)
    name = "Some Agent"

    @classmethod
    def _create(cls, model, *args, **values):
        """The agent with its claim and, as `token`, a token of all scopes."""
        agent = super()._create(model, *args, **values)
        OperatorClaim.objects.create(agent=agent)
        agent.token = AgentToken.objects.issue(agent)
        return agent


def ask_for_code(agent, *, name="Ada Lovelace", email="ada@example.com", key=None):
    """The code that the claim page shows to an operator."""
    return agent.claim.request_code(name=name, email=email, key=key or mint_key())


def claim_by_code(agent, *, key=None, **operator):
    """Let an operator claim the agent as on its claim page; returns the text of the key."""
    key = key or mint_key()
    agent.claim.confirm(ask_for_code(agent, key=key, **operator), agent.token)
    return key


def claim(agent, *, key=None, name="Ada Lovelace", email="ada@example.com"):
    """Let an operator claim the agent; returns the text of the operator's key.

    A first claim writes what `claim_by_code` leaves of it in 8 statements instead of 33, because
    most tests of the console begin so. It is no event of the audit trail.
    """
    row = agent.claim
    if row.claimed_at:
        return claim_by_code(agent, key=key, name=name, email=email)
    key = key or mint_key()
    row.claimed_at = timezone.now()
    row.key, _ = OperatorKey.objects.get_or_create(
        digest=digest(key), defaults={"hint": hint(key), "confirmed_at": row.claimed_at}
    )
    row.operator_name, row.operator_email = name, email
    row.code_digest = digest(f"the code for {key}")
    row.scopes = [scope for scope in DEFAULT_SCOPES if scope in agent.token.scopes]
    row.save()
    reason = f"Claimed the agent, with the key {row.key}."
    agent.take_snapshot(operator=name, reason=reason, is_event=True)
    return key


CALLBACK = "https://claude.ai/api/mcp/auth_callback"
# Of RFC 7636, Appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


class OAuthClientFactory(DjangoModelFactory):
    class Meta:
        model = OAuthClient

    name = "Claude"
    redirect_uris = [CALLBACK]


def connect(agent, *, client=None, scopes=("read", "install", "review")):
    """A connection for a claimed agent, with the texts `access_token` and `refresh_token`."""
    claim = OperatorClaim.objects.select_related("agent", "key").get(agent=agent)
    client = client or OAuthClientFactory()
    return Connection.objects.open(client=client, key=claim.key, claim=claim, scopes=scopes)


@transaction.atomic
def consent(agent, *, client, page="a page", **fields):
    """The code that the consent page gives to a client, for the VERIFIER."""
    claim = OperatorClaim.objects.select_related("agent", "key").get(agent=agent)
    fields = {"scopes": ["read", "install", "review"], "redirect_uri": CALLBACK} | fields
    return AuthorizationCode.objects.issue(
        page, client=client, key=claim.key, claim=claim, code_challenge=CHALLENGE, **fields
    )


# Fields that staff write, and that every list shows unchanged under the same names.
ABOUT = {
    "title": "PDF Tables",
    "description": "Extracts tables.",
    "category": "data",
    "tags": ["pdf", "tables"],
    "runtimes": ["python", "node"],
    "author": "Harbour Tools",
    "version": "1.10",
    "license": "MIT",
}
ABOUT_SKILL = ABOUT | {}  # Add fields that only skills have here.


class EntryFactory(DjangoModelFactory):
    description = "Does one thing well."
    category = "development"
    content = "Do it."
    status = "published"


class SkillFactory(EntryFactory):
    class Meta:
        model = Skill

    slug = factory.Sequence("skill-{}".format)
    title = factory.Sequence("Skill {}".format)

    @classmethod
    def _create(cls, model, *args, files=(), **values):
        """The skill with `files`, {path: bytes}; those below scripts/ are executable."""
        stored = [
            as_stored(path, [data], is_executable=path.startswith("scripts/"))
            for path, data in sorted(dict(files).items())
        ]
        FileContent.objects.bulk_create(
            [FileContent(digest=file["digest"], data=files[file["path"]]) for file in stored],
            ignore_conflicts=True,
        )
        return super()._create(model, *args, files=stored, **values)


class PersonaFactory(EntryFactory):
    class Meta:
        model = Persona
        skip_postgeneration_save = True

    slug = factory.Sequence("persona-{}".format)
    title = factory.Sequence("Persona {}".format)

    @factory.post_generation
    def skills(self, _create, bundled, **_):
        self.skills.set(bundled or [])


class SkillInstallFactory(DjangoModelFactory):
    class Meta:
        model = SkillInstall

    agent = factory.SubFactory(AgentFactory)
    skill = factory.SubFactory(SkillFactory)
    installed_digest = factory.SelfAttribute("skill.digest")


class PersonaInstallFactory(DjangoModelFactory):
    class Meta:
        model = PersonaInstall

    agent = factory.SubFactory(AgentFactory)
    persona = factory.SubFactory(PersonaFactory)
    installed_digest = factory.SelfAttribute("persona.digest")


class SubmissionFactory(DjangoModelFactory):
    """A new skill that an agent proposes."""

    class Meta:
        model = Submission

    agent = factory.SubFactory(AgentFactory)
    kind = "skill"
    slug = factory.Sequence("proposed-{}".format)
    content = factory.LazyAttribute(
        lambda row: f"---\nname: {row.slug}\ndescription: Does it.\nlicense: MIT\n---\n\nDo it.\n"
    )
    size = factory.LazyAttribute(lambda row: len(row.content))
    digest = bytes_digest = factory.LazyAttribute(lambda row: f"sha256:{row.slug:0>64}")


class SourceFactory(DjangoModelFactory):
    class Meta:
        model = Source

    name = factory.Sequence("source-{}".format)
    url = "https://git.example.com/skills"


def review(agent, persona, rating, comment=""):
    """A review as the API stores it, counted on the persona."""
    if not PersonaInstall.objects.present().filter(agent=agent, persona=persona).exists():
        PersonaInstallFactory(agent=agent, persona=persona)
    return Review.objects.submit(agent, persona.slug, rating=Decimal(str(rating)), comment=comment)[
        0
    ]
