"""Scopes and policies: tests/registry.py says what opens each operation, and what counts it."""

import pytest

from agents import tokens
from agents.models import AgentToken
from marketplace.api.scopes import Scope
from tests.api.request_cases import quarter
from tests.api.stopped_tokens import expired, paused, revoked, suspended
from tests.factories import AgentFactory, claim
from tests.registry import OPERATION, PROTECTED, PUBLIC, allow_all, call, prepare

REFUSED = 'Bearer realm="marketplace", error="invalid_token"'
NO_TOKEN = 'Bearer realm="marketplace"'


def mistyped(agent):
    text = agent.token.text
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def unknown(_agent):
    return tokens.mint()


def operator_key(agent):
    return claim(agent)


@pytest.fixture(autouse=True)
def rows(agent):
    prepare(agent)


def assert_refused(response, status, error, header):
    assert response.status_code == status
    assert response.json() == {"error": error}
    assert response["WWW-Authenticate"] == header
    assert response["Content-Type"] == "application/json"


@pytest.mark.contract("4.4")
def test_public_operations_need_no_token(anyone, alone):
    for operation in PUBLIC:
        with alone(operation.name):
            assert call(anyone, operation).status_code == operation.status


@pytest.mark.contract("3.10", "4.3")
def test_protected_operations_need_a_token(anyone, subtests):
    for operation in PROTECTED:
        with subtests.test(operation.name):
            assert_refused(call(anyone, operation), 401, "Authentication required", NO_TOKEN)


REFUSED_TEXTS = [mistyped, unknown, revoked, expired, suspended, paused, operator_key]


@pytest.mark.contract("3.5", "4.10")
@pytest.mark.parametrize("text", REFUSED_TEXTS)
def test_every_refused_token_gets_the_same_response(client_of, agent, subtests, text):
    client = client_of(token=text(agent))

    for operation in quarter(PROTECTED, REFUSED_TEXTS.index(text)):
        with subtests.test(operation.name):
            assert_refused(call(client, operation), 401, "Authentication required", REFUSED)
    assert not AgentToken.objects.exclude(last_used_at=None).exists()


@pytest.mark.contract("3.6", "4.2")
@pytest.mark.parametrize("held", [[], *([scope] for scope in Scope.values)], ids=str)
def test_only_its_own_scope_opens_an_operation(client_of, agent, alone, held):
    client = client_of(token=AgentToken.objects.issue(agent, held).text)

    for operation in PROTECTED:
        with alone(operation.name):
            response = call(client, operation)

            if {*operation.scopes} & {*held}:
                assert response.status_code == operation.status
            else:
                header = f'{NO_TOKEN}, error="insufficient_scope", scope="{operation.scope}"'
                assert_refused(response, 403, "Insufficient permissions", header)
                assert agent.skill_installs.present().count() == 1
                assert agent.reviews.present().count() == 1


@pytest.mark.contract("4.5")
def test_one_agents_token_opens_nothing_of_another(client, agent):
    other = AgentFactory()

    call(client, OPERATION["install_skill"])

    assert agent.skill_installs.count() == 2
    assert other.skill_installs.count() == 0


@pytest.mark.contract("4.3")
def test_a_view_without_a_scope_refuses_everyone(client, monkeypatch):
    monkeypatch.setattr("reviews.views.ReviewViewSet.required_scope", None)

    response = call(client, OPERATION["submit_review"])

    assert response.status_code == 500
    assert response.json() == {"error": "Internal server error"}


AUTHORIZATIONS = {
    "garbage": "\x01\x7f\xff garbage,,=",
    "an empty one": "",
    "another scheme": "Basic YTpi",
    "no token": "Bearer",
    "a stranger": "Bearer mkt_agent_x",
    "a revoked token": "Bearer {revoked}",
    "a token of a suspended agent": "Bearer {suspended}",
    "a token without scopes": "Bearer {powerless}",
    "a valid token": "Bearer {valid}",
}


@pytest.mark.contract("4.4")
def test_public_endpoints_respond_alike_whatever_the_authorization(anyone, agent, subtests):
    revoked, powerless = AgentToken.objects.issue(agent), AgentToken.objects.issue(agent, [])
    revoked.revoke()
    suspended = AgentFactory()
    suspended.suspend()
    tokens = {"revoked": revoked, "powerless": powerless, "suspended": suspended.token}
    texts = {name: token.text for name, token in tokens.items()} | {"valid": agent.token.text}
    without = {op.url: anyone.get(op.url).content for op in PUBLIC if op.method == "GET"}
    for name, authorization in AUTHORIZATIONS.items():
        headers = {"Authorization": authorization.format(**texts)}
        with subtests.test(name):
            for url, content in without.items():
                response = anyone.get(url, headers=headers)

                assert (response.status_code, response.content) == (200, content)
                assert "WWW-Authenticate" not in response.headers

            registered = anyone.post("/api/v1/agents/register", headers=headers)

            assert registered.status_code == 201
            assert not AgentToken.objects.exclude(last_used_at=None).exists()


@pytest.mark.contract("11.1", "12.1", "14.5", "15.2", "15.5")
def test_each_operation_is_counted_by_its_policy_alone(client_of, rates, subtests):
    rates(**{operation.policy: "9/h" for operation in PROTECTED if operation.policy})
    for operation in PROTECTED:
        with subtests.test(operation.name):
            agent = AgentFactory()
            reader = client_of(token=AgentToken.objects.issue(agent).text)
            allow_all(agent)

            response = call(client_of(agent), operation)

            policy = operation.policy and f'"{operation.policy}";q=9;w=3600'
            assert response.headers.get("RateLimit-Policy") == policy
            limits = reader.get("/api/v1/agents/me/limits").json()["limits"]
            counted = [row["policy"] for row in limits if row["remaining"] == row["limit"] - 1]
            assert counted == [operation.policy] * bool(operation.policy)
