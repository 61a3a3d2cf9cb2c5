"""Who may call what: the matrix is the specification's table of endpoints."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents import tokens
from agents.models import AgentToken
from marketplace.api.permissions import Scope
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    claim,
    review,
)

# The table of endpoints as it stands in the specification, and below it what the lifecycle adds.
TABLE = """
| GET | `/api/v1/skills` | none | - |
| GET | `/api/v1/skills/{slug}` | none | - |
| GET | `/api/v1/personas` | none | - |
| GET | `/api/v1/personas/{slug}` | none | - |
| POST | `/api/v1/agents/register` | none | - |
| GET | `/api/v1/agents/me` | bearer | read |
| PATCH | `/api/v1/agents/me` | bearer | read |
| POST | `/api/v1/agents/me/confirm-claim` | bearer | read |
| POST | `/api/v1/agents/me/skills/install` | bearer | install |
| POST | `/api/v1/agents/me/personas/install` | bearer | install |
| POST | `/api/v1/agents/me/reviews` | bearer | review |
| POST | `/api/v1/agents/me/skills/uninstall` | bearer | install |
| POST | `/api/v1/agents/me/personas/uninstall` | bearer | install |
| POST | `/api/v1/agents/me/personas/activate` | bearer | install |
| POST | `/api/v1/agents/me/personas/deactivate` | bearer | install |
| GET | `/api/v1/agents/me/limits` | bearer | read |
| GET | `/api/v1/agents/me/manifest` | bearer | read |
| GET | `/api/v1/agents/me/skills` | bearer | read |
| GET | `/api/v1/agents/me/personas` | bearer | read |
| POST | `/api/v1/agents/me/skills/update` | bearer | install |
| POST | `/api/v1/agents/me/personas/update` | bearer | install |
| GET | `/api/v1/agents/me/tokens` | bearer | read |
| POST | `/api/v1/agents/me/tokens` | bearer | read |
| POST | `/api/v1/agents/me/tokens/rotate` | bearer | read |
| DELETE | `/api/v1/agents/me/tokens/{tokenId}` | bearer | read |
| POST | `/api/v1/tokens/revoke` | none | - |
| GET | `/api/v1/personas/{slug}/reviews` | none | - |
| GET | `/api/v1/skills/{slug}/files/run.py` | none | - |
| GET | `/api/v1/skills/{slug}/archive.zip` | none | - |
| GET | `/api/v1/agents/me/reviews` | bearer | read |
| DELETE | `/api/v1/agents/me/reviews/{personaSlug}` | bearer | review |
| POST | `/api/v1/agents/me/reports` | bearer | review |
| GET | `/api/v1/changes` | none | - |
| GET | `/api/v1/facets?kind=skill` | none | - |
| GET | `/api/v1` | none | - |
"""
ENDPOINTS = [
    [cell.strip(" `") for cell in row.strip("|").split("|")] for row in TABLE.strip().split("\n")
]
PUBLIC = [(method, path) for method, path, auth, _ in ENDPOINTS if auth == "none"]
PROTECTED = [(method, path, scope) for method, path, auth, scope in ENDPOINTS if auth == "bearer"]
BODY = {"slug": "wanted", "personaSlug": "owned", "rating": 5, "code": "BBBB-BBBB", "token": "x"}
BODY |= {"kind": "skill", "reason": "spam"}
OWNED = {"slug": "owned"}
CHANGES = "/uninstall", "/activate", "/deactivate", "/update"  # of what the agent has
REFUSED = 'Bearer realm="marketplace", error="invalid_token"'
NO_TOKEN = 'Bearer realm="marketplace"'


def mistyped(agent):
    text = agent.token.text
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def unknown(_agent):
    return tokens.mint()


def revoked(agent):
    agent.token.revoke()
    return agent.token.text


def expired(agent):
    AgentToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    return agent.token.text


def suspended(agent):
    agent.suspend()
    return agent.token.text


def paused(agent):
    agent.pause()
    return agent.token.text


def operator_key(agent):
    return claim(agent)


@pytest.fixture(autouse=True)
def catalogue(agent):
    SkillFactory(slug="wanted", files={"run.py": b"print(1)"})
    PersonaFactory(slug="wanted")
    SkillInstallFactory(agent=agent, skill__slug="owned")
    PersonaInstallFactory(agent=agent, persona__slug="owned")
    review(agent, PersonaFactory(slug="reviewed"), 4)


def call(client, method, path):
    path = path.format(slug="wanted", tokenId="token_unknown", personaSlug="reviewed")
    if method in {"GET", "DELETE"}:
        return getattr(client, method.lower())(path)
    return getattr(client, method.lower())(path, OWNED if path.endswith(CHANGES) else BODY)


def success(method, path):
    if path.endswith("claim"):
        return 400  # a wrong code
    if path.endswith("{tokenId}"):
        return 404
    return 201 if method == "POST" and not path.endswith((*CHANGES, "/revoke")) else 200


def assert_refused(response, status, error, header):
    assert response.status_code == status
    assert response.json() == {"error": error}
    assert response["WWW-Authenticate"] == header
    assert response["Content-Type"] == "application/json"


@pytest.mark.parametrize(("method", "path"), PUBLIC)
@pytest.mark.parametrize("header", [None, "Bearer nonsense", "Basic YTpi", "\x7f", "Bearer \xff"])
def test_public_endpoints_need_no_token_and_ignore_any(anyone, method, path, header):
    anyone.defaults.update({"HTTP_AUTHORIZATION": header} if header else {})

    assert call(anyone, method, path).status_code == success(method, path)


@pytest.mark.parametrize(("method", "path", "scope"), PROTECTED)
def test_protected_endpoints_need_a_token(anyone, method, path, scope):
    response = call(anyone, method, path)

    assert_refused(response, 401, "Authentication required", NO_TOKEN)


REFUSED_TEXTS = [mistyped, unknown, revoked, expired, suspended, paused, operator_key]


@pytest.mark.parametrize(("method", "path", "scope"), PROTECTED)
@pytest.mark.parametrize("text", REFUSED_TEXTS)
def test_every_refused_token_gets_the_same_response(client_of, agent, method, path, scope, text):
    response = call(client_of(token=text(agent)), method, path)

    assert_refused(response, 401, "Authentication required", REFUSED)


@pytest.mark.parametrize(("method", "path", "needed"), PROTECTED)
@pytest.mark.parametrize("held", [[], ["read"], ["install"], ["review"]], ids=str)
def test_only_the_endpoints_own_scope_opens_it(client_of, agent, method, path, needed, held):
    token = AgentToken.objects.issue(agent, held)

    response = call(client_of(token=token.text), method, path)

    if needed in held:
        assert response.status_code == success(method, path)
    else:
        header = f'{NO_TOKEN}, error="insufficient_scope", scope="{needed}"'
        assert_refused(response, 403, "Insufficient permissions", header)
        assert agent.skill_installs.present().count() + agent.reviews.present().count() == 2


@pytest.mark.parametrize(("method", "path", "needed"), PROTECTED)
def test_the_other_two_scopes_do_not_open_it(client_of, agent, method, path, needed):
    others = [scope for scope in Scope.values if scope != needed]
    token = AgentToken.objects.issue(agent, others)

    assert call(client_of(token=token.text), method, path).status_code == 403


@pytest.mark.parametrize(("method", "path", "needed"), PROTECTED)
def test_a_registered_agent_may_do_everything(client, method, path, needed):
    response = call(client, method, path)

    assert response.status_code == success(method, path)


def test_one_agents_token_opens_nothing_of_another(client, agent):
    other = AgentFactory()

    call(client, "POST", "/api/v1/agents/me/skills/install")

    assert agent.skill_installs.count() == 2
    assert other.skill_installs.count() == 0


def test_a_view_without_a_scope_refuses_everyone(client, monkeypatch):
    monkeypatch.setattr("reviews.views.ReviewViewSet.required_scope", None)

    response = call(client, "POST", "/api/v1/agents/me/reviews")

    assert response.status_code == 500
    assert response.json() == {"error": "Internal server error"}


AUTHORIZATIONS = {
    "garbage": "\x01\xff garbage,,=",
    "an empty one": "",
    "another scheme": "Basic YTpi",
    "no token": "Bearer",
    "a stranger": "Bearer mkt_agent_x",
    "a revoked token": "Bearer {revoked}",
    "a token of a suspended agent": "Bearer {suspended}",
    "a token without scopes": "Bearer {powerless}",
    "a valid token": "Bearer {valid}",
}


@pytest.mark.parametrize("authorization", AUTHORIZATIONS.values(), ids=AUTHORIZATIONS)
def test_public_endpoints_respond_alike_whatever_the_authorization(anyone, agent, authorization):
    revoked, powerless = AgentToken.objects.issue(agent), AgentToken.objects.issue(agent, [])
    revoked.revoke()
    suspended = AgentFactory()
    suspended.suspend()
    header = authorization.format(
        revoked=revoked.text,
        powerless=powerless.text,
        suspended=suspended.token.text,
        valid=agent.token.text,
    )
    for url in (path.format(slug="wanted") for method, path in PUBLIC if method == "GET"):
        response = anyone.get(url, headers={"Authorization": header})

        assert response.status_code == 200
        assert response.content == anyone.get(url).content
        assert "WWW-Authenticate" not in response.headers

    registered = anyone.post("/api/v1/agents/register", headers={"Authorization": header})

    assert registered.status_code == 201
    assert not AgentToken.objects.exclude(last_used_at=None).exists()
