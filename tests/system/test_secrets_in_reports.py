"""No secret is in the log of a crash, or in an error report with local variables."""

import io
import logging

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils.log import AdminEmailHandler

from agents import tokens
from marketplace.logging import MaskedFormatter
from tests.factories import SkillFactory, claim
from tests.system.secret_scan import leaks

pytestmark = pytest.mark.servers

ADA = {"name": "Ada Lovelace", "email": "ada@example.com"}
ME = "/api/v1/agents/me"
REGISTER = "/api/v1/agents/register"

# The function that crashes, and a request that calls it.
CRASHES = {
    "a token is looked up": (
        "agents.models.tokens.instance_of",
        lambda it: it.client.get(ME),
    ),
    "a token is issued": (
        "agents.models.tokens.AgentTokenQuerySet.create",
        lambda it: it.anyone.post(REGISTER),
    ),
    "a token is created": (
        "marketplace.api.renderers.orjson.dumps",
        lambda it: it.client.post(f"{ME}/tokens", {"name": "laptop"}),
    ),
    "a token is rotated": (
        "agents.models.AgentToken.refresh_from_db",
        lambda it: it.client.post(f"{ME}/tokens/rotate"),
    ),
    "a leaked token is reported": (
        "agents.models.tokens.AgentTokenManager.revoke_leaked",
        lambda it: it.anyone.post("/api/v1/tokens/revoke", {"token": it.secrets["token"]}),
    ),
    "a registration is answered": (
        "marketplace.api.renderers.orjson.dumps",
        lambda it: it.anyone.post(REGISTER),
    ),
    "a profile is answered": (
        "marketplace.api.renderers.orjson.dumps",
        lambda it: it.client.get(ME),
    ),
    "a skill is installed": (
        "agents.models.Agent.fetch_verdict",
        lambda it: it.client.post(f"{ME}/skills/install", {"slug": "pdf-tables"}),
    ),
    "the claim page is opened": (
        "operators.claim_page.render",
        lambda it: it.anyone.get(f"/claim/{it.secrets['claim']}"),
    ),
    "an operator asks for a code": (
        "agents.models.OperatorClaim.request_code",
        lambda it: it.operator.post(f"/claim/{it.secrets['claim']}", ADA),
    ),
    "an operator adds an agent to a key": (
        "agents.models.OperatorClaim.request_code",
        lambda it: it.operator.post(
            f"/claim/{it.secrets['claim']}", ADA | {"key": it.secrets["key"]}
        ),
    ),
    "an operator logs in": (
        "operators.models.OperatorSessionQuerySet.begin",
        lambda it: it.operator.post("/operator", {"key": it.secrets["key"]}),
    ),
    "an operator opens the console": (
        "operators.views.render",
        lambda it: it.operator.get("/operator"),
    ),
    "an operator issues a token": (
        "operators.actions.tokens.IssueToken.respond",
        lambda it: it.operator.post("/operator/agents/caller/issue-token", {"scopes": ["read"]}),
    ),
    "the token is in the query string": (
        "search.reads.EntryList.page",
        lambda it: it.anyone.get(f"/api/v1/skills?q={it.secrets['token']}"),
    ),
    "staff issue a token": (
        "agents.admin.AgentAdmin.log_change",
        lambda it: it.admin_client.post(
            "/admin/agents/agent/",
            {
                "action": "issue_token",
                "_selected_action": it.agent.pk,
                "issue": "1",
                "scopes": ["read"],
            },
        ),
    ),
}


class Actors:
    """The callers, and the secrets that a crash could reveal."""

    def __init__(self, agent, client, anyone, monkeypatch):
        self.agent, self.client, self.anyone = agent, client, anyone
        self.admin_client = Client(raise_request_exception=False)
        self.admin_client.force_login(User.objects.create_superuser("staff"))
        self.operator, key = Client(raise_request_exception=False), claim(agent)
        self.operator.post("/operator", {"key": key})
        self.secrets = {
            "token": agent.token.text,
            "claim": agent.claim.secret,
            "key": key,
            "session": self.operator.cookies["operator"].value.rpartition(":")[2],
        }
        monkeypatch.setattr(tokens, "mint", self.noting(tokens.mint))

    def noting(self, mint):
        def noted(*kind):
            self.secrets[f"result of {kind}"] = minted = mint(*kind)
            return minted

        return noted


@pytest.fixture
def actors(agent, client, anyone, monkeypatch):
    SkillFactory(slug="pdf-tables")
    return Actors(agent, client, anyone, monkeypatch)


@pytest.fixture
def log(monkeypatch):
    """The output of the configured handler."""
    stream = io.StringIO()
    for handler in configured_handlers(logging.getLogger()):
        monkeypatch.setattr(handler, "stream", stream)
    return stream


@pytest.fixture
def outbox(settings, log):
    """Mails of an error reporter that a deployer may add: Django's own, with local variables."""
    settings.ADMINS = [("Operations", "operations@example.com")]
    handler = AdminEmailHandler(include_html=True)
    logging.getLogger("django.request").addHandler(handler)
    yield mail.outbox
    logging.getLogger("django.request").removeHandler(handler)


def configured_handlers(logger):
    """The logger's handlers, without pytest's."""
    return [handler for handler in logger.handlers if "pytest" not in type(handler).__module__]


def crash_at(place, monkeypatch, text):
    def crash(*_, **__):
        raise RuntimeError(text)

    monkeypatch.setattr(place, crash)


def test_every_configured_handler_masks():
    loggers = [logging.getLogger(name) for name in ("", *logging.root.manager.loggerDict)]
    handlers = {
        handler: logger.name for logger in loggers for handler in configured_handlers(logger)
    }
    # Only runserver uses the first, and no deployment runs that. dulwich's writes nothing.
    left = {handler for handler, name in handlers.items() if name in {"django.server", "dulwich"}}

    assert len(handlers) > len(left)
    for handler in handlers.keys() - left:
        assert isinstance(handler, logging.StreamHandler)
        assert isinstance(handler.formatter, MaskedFormatter)


@pytest.mark.parametrize("name", CRASHES)
def test_the_log_of_a_crash_holds_no_secret(name, actors, log, monkeypatch):
    place, request = CRASHES[name]
    crash_at(place, monkeypatch, f"crashed with {actors.secrets['token']}")

    response = request(actors)

    assert response.status_code == 500
    assert "RuntimeError: crashed with mkt_agent_[masked]" in log.getvalue()
    assert leaks(actors.secrets, log.getvalue()) == []
    assert leaks(actors.secrets, response.content.decode()) == []


@pytest.mark.parametrize("name", CRASHES)
def test_an_error_report_with_local_variables_holds_no_secret(name, actors, outbox, monkeypatch):
    place, request = CRASHES[name]
    crash_at(place, monkeypatch, "crashed")

    assert request(actors).status_code == 500

    assert "RuntimeError" in outbox[0].body
    for report in outbox:
        ((html, _),) = report.alternatives
        assert leaks(actors.secrets, report.subject + report.body) == []
        assert leaks(actors.secrets, html) == []
