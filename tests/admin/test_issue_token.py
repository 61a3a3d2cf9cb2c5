"""manage.py issue_token HANDLE [--scopes read,install,review]"""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.models import AgentToken
from agents.tokens import is_well_formed
from tests.factories import AgentFactory, PersonaFactory, PersonaInstallFactory, SkillFactory
from tests.imports import manage

pytestmark = pytest.mark.django_db

ME = "/api/v1/agents/me"


def issue(*arguments):
    out = StringIO()
    call_command("issue_token", *arguments, stdout=out)
    return out.getvalue()


def test_it_prints_a_token_and_nothing_else(agent):
    printed = issue("caller")

    assert printed.endswith("\n")
    assert is_well_formed(printed.removesuffix("\n"))


@pytest.mark.contract("15.4")
def test_it_issues_more_than_an_agent_may_make(agent, client_of):
    texts = [issue("caller").strip() for _ in range(10)]

    statuses = [client_of(token=text).get(ME).status_code for text in texts]
    refused = client_of(agent).post(f"{ME}/tokens")

    assert statuses == [200] * 10
    assert (refused.status_code, refused.json()) == (409, {"error": "Too many tokens"})


@pytest.mark.contract("4.14")
@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_from_a_shell_it_prints_a_token_and_nothing_else(agent, client_of):
    done = manage("issue_token", "caller")

    assert (done.returncode, done.stderr) == (0, "")
    assert client_of(token=done.stdout.removesuffix("\n")).get(ME).status_code == 200


def test_the_token_is_the_agents_with_all_scopes(agent, client_of):
    profile = client_of(token=issue("caller").strip()).get(ME).json()

    assert (profile["agentId"], profile["handle"]) == (agent.public_id, "caller")
    assert profile["scopes"] == ["read", "install", "review"]


@pytest.mark.contract("4.14")
@pytest.mark.parametrize(
    ("scopes", "held"),
    [
        ("read", ["read"]),
        ("read,install", ["read", "install"]),
        ("review,read", ["read", "review"]),
        (" install , read ", ["read", "install"]),
        ("read,read", ["read"]),
        ("read,install,review", ["read", "install", "review"]),
    ],
)
def test_the_token_has_the_requested_scopes(agent, client_of, scopes, held):
    token = issue("caller", "--scopes", scopes).strip()

    assert client_of(token=token).get(ME).json()["scopes"] == held


@pytest.mark.parametrize("scope", ["read", "install", "review"])
def test_the_scopes_are_enforced(agent, client_of, scope):
    SkillFactory(slug="pdf")
    PersonaInstallFactory(agent=agent, persona=PersonaFactory(slug="archivist"))
    client = client_of(token=issue("caller", "--scopes", scope).strip())

    statuses = {
        "read": client.get(ME).status_code,
        "install": client.post(f"{ME}/skills/install", {"slug": "pdf"}).status_code,
        "review": client.post(
            f"{ME}/reviews", {"personaSlug": "archivist", "rating": 5}
        ).status_code,
    }

    allowed = {"read": 200, "install": 201, "review": 201}
    assert statuses == {name: allowed[name] if name == scope else 403 for name in allowed}


@pytest.mark.contract("4.14")
@pytest.mark.parametrize("days", [1, 30, 3650])
def test_a_token_expires_after_the_requested_days(agent, client_of, days):
    client = client_of(token=issue("caller", "--expires-in-days", str(days)).strip())
    token = agent.tokens.first()

    assert token.expires_at - token.created_at == pytest.approx(
        timedelta(days=days), abs=timedelta(minutes=1)
    )
    assert client.get(ME).status_code == 200
    agent.tokens.filter(pk=token.pk).update(expires_at=timezone.now())
    assert client.get(ME).status_code == 401


def test_a_token_has_no_expiry_by_default(agent):
    issue("caller")

    assert agent.tokens.first().expires_at is None


@pytest.mark.parametrize("days", ["0", "-1", "3651", "1.5", "soon", "", "1" * 400])
def test_the_command_refuses_an_invalid_number_of_days(agent, days):
    with pytest.raises(CommandError, match=r"--expires-in-days"):
        issue("caller", "--expires-in-days", days)

    assert AgentToken.objects.count() == 1


def test_the_tokens_issued_before_go_on_working(client, agent):
    issue("caller")

    assert client.get(ME).status_code == 200


def test_each_token_is_another(agent):
    assert issue("caller") != issue("caller")


@pytest.mark.parametrize(
    "scopes", ["admin", "read,admin", "", "read,,install", "READ", "read;install"]
)
def test_an_unknown_scope_is_named_and_nothing_is_issued(agent, scopes):
    with pytest.raises(
        CommandError, match=r"Unknown scope .*\. Scopes are read, install, review, clone, submit\."
    ):
        issue("caller", "--scopes", scopes)

    assert AgentToken.objects.count() == 1


@pytest.mark.parametrize("handle", ["nobody", "", "Caller", "caller "])
def test_an_unknown_handle_is_named_and_nothing_is_issued(agent, handle):
    with pytest.raises(CommandError, match=f"No agent has the handle '{handle}'"):
        issue(handle)

    assert AgentToken.objects.count() == 1


def test_only_the_named_agent_gets_a_token(agent):
    other = AgentFactory()

    issue("caller")

    assert (agent.tokens.count(), other.tokens.count()) == (2, 1)


@pytest.mark.contract("4.8")
def test_the_text_of_the_token_is_stored_nowhere(agent):
    text = issue("caller").strip()

    stored = AgentToken.objects.filter(agent=agent).values().last()
    assert not any(text in str(value) for value in stored.values())
