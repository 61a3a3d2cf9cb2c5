"""POST /api/v1/tokens/exchange (contract 31)"""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import AgentToken
from marketplace.api.fields import timestamp
from publishers.models import Publisher
from tests.api.hostile_bodies import WITHOUT_TOKEN
from tests.factories import ask_for_code, claim
from tests.publishers.conftest import REFUSED, URL
from tests.publishers.issuer import HOUR
from tests.submissions.conftest import SKILL
from tests.submissions.conftest import URL as SUBMISSIONS

TOKENS = "/api/v1/agents/me/tokens"
CONFIRM = "/api/v1/agents/me/confirm-claim"
GITLAB = {
    **dict.fromkeys(["repository", "repository_id", "event_name", "head_ref", "base_ref"]),
    "run_id": None,
    "project_path": "acme/skills",
    "project_id": "20",
    "ref": "main",
    "pipeline_source": "push",
    "pipeline_id": "574",
    "ref_path": "refs/heads/main",
}


def issued(agent):
    return AgentToken.objects.exclude(pk=agent.token.pk).get()


@pytest.mark.contract("31.2")
@pytest.mark.usefixtures("publisher")
def test_a_run_gets_a_token_of_its_agent(issuer, exchange, agent):
    response = exchange(issuer.token())

    token, text = issued(agent), response.json().get("token")
    assert response.status_code == 201
    assert response.json() == {
        "message": "Token issued",
        "token": text,
        "tokenType": "Bearer",
        "scopes": ["submit"],
        "tokenExpiresAt": timestamp(token.expires_at),
    }
    assert response.headers["Cache-Control"] == "no-store"
    assert AgentToken.objects.authenticate(text) == token
    assert token.agent == agent
    assert timedelta(minutes=14) < token.expires_at - timezone.now() <= timedelta(minutes=15)
    assert Publisher.objects.get().last_used_at


@pytest.mark.contract("31.2", "26.5")
@pytest.mark.usefixtures("publisher")
def test_it_can_read_where_reading_needs_a_token(issuer, exchange, settings):
    settings.CATALOGUE = "members"

    assert exchange(issuer.token()).json()["scopes"] == ["read", "submit"]


@pytest.mark.contract("31.2")
@pytest.mark.usefixtures("publisher")
@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({}, "Run 15873202911 of acme/skills"),
        ({"run_id": None}, "Run 9b2f0c1d4e5a6b7c8d9e0f1a2b3c4d of acme/skills"),
        ({"repository": "a\u202e\u200b\nb" + "c" * 99}, "Run 15873202911 of ab" + "c" * 59),
        ({"repository": f"mkt_agent_{'a' * 32}", "run_id": "1"}, "Run 1 of mkt[masked]"),
        (dict.fromkeys(["repository", "run_id", "sha", "sub"]), "Run unknown of unknown"),
    ],
)
def test_it_is_named_after_the_run(issuer, exchange, agent, claims, name):
    assert exchange(issuer.token(**claims)).status_code == 201

    assert issued(agent).name == name


@pytest.mark.contract("31.1", "31.4")
def test_a_project_of_gitlab(issuer, exchange, agent):
    about = {"project_claim": "project_id", "project": "20", "ref": "main"}
    issuer.publisher(agent, **about, protected_only=True)

    assert exchange(issuer.token(**GITLAB)).status_code == 201
    token = issued(agent)
    assert (token.name, token.provenance["ref"]) == ("Run 574 of acme/skills", "main")
    assert exchange(issuer.token(**GITLAB, ref_type="tag")).json() == REFUSED
    assert exchange(issuer.token(**GITLAB, ref_protected="false")).json() == REFUSED
    assert exchange(issuer.token(**GITLAB | {"pipeline_source": None})).status_code == 201


@pytest.mark.contract("31.3", "15.4")
@pytest.mark.usefixtures("publisher")
def test_it_is_outside_of_the_count_of_tokens(issuer, exchange, client):
    for _ in range(12):
        assert exchange(issuer.token()).status_code == 201
    for _ in range(9):
        assert client.post(TOKENS).status_code == 201
    assert client.post(TOKENS).json() == {"error": "Too many tokens"}

    assert exchange(issuer.token()).status_code == 201


@pytest.mark.contract("31.3")
@pytest.mark.usefixtures("publisher")
def test_tokens_that_are_made_with_it_keep_its_provenance(
    issuer, exchange, client_of, settings, agent
):
    settings.CATALOGUE = "members"
    first = exchange(issuer.token()).json()
    made = client_of(token=first["token"]).post(TOKENS, {"name": "mine"}).json()
    rotated = client_of(token=made["token"]).post(f"{TOKENS}/rotate").json()

    assert made["tokenExpiresAt"] == rotated["tokenExpiresAt"] == first["tokenExpiresAt"]
    rows = AgentToken.objects.exclude(pk=agent.token.pk)
    assert {row.provenance["run"] for row in rows} == {"15873202911"}
    assert rows.count() == 3


@pytest.mark.contract("31.3", "7.6")
@pytest.mark.usefixtures("publisher")
def test_it_confirms_no_claim(issuer, exchange, client_of, settings, agent, client):
    settings.CATALOGUE = "members"
    run = client_of(token=exchange(issuer.token()).json()["token"])
    code = {"code": ask_for_code(agent)}

    refused = run.post(CONFIRM, code)

    assert (refused.status_code, refused.json()) == (403, {"error": "Insufficient permissions"})
    assert 'scope="install"' in refused.headers["WWW-Authenticate"]
    assert client.post(CONFIRM, code).status_code == 200


@pytest.mark.contract("31.7")
@pytest.mark.usefixtures("publisher")
@pytest.mark.parametrize("changes", [{}, {"jti": None}])
def test_each_token_works_once(issuer, exchange, assert_refused, changes):
    token = issuer.token(**changes)

    assert exchange(token).status_code == 201
    assert_refused(token, "exchanged before")
    assert exchange(issuer.token(**changes, run_id="2")).status_code == 201


@pytest.mark.contract("31.7")
@pytest.mark.usefixtures("publisher")
def test_a_jti_works_once_whatever_else_the_token_says(issuer, exchange, assert_refused):
    assert exchange(issuer.token(jti="same")).status_code == 201
    assert_refused(issuer.token(jti="same", run_id="2"), "exchanged before")


@pytest.mark.contract("31.8", "11.2")
@pytest.mark.usefixtures("publisher")
def test_it_is_counted_by_address_whatever_the_outcome(issuer, exchange, rates):
    rates(exchange="2/h")

    refused = exchange("x", REMOTE_ADDR="192.0.2.1")
    assert (refused.status_code, refused.headers["RateLimit-Policy"]) == (
        401,
        '"exchange";q=2;w=3600',
    )
    assert exchange("x", REMOTE_ADDR="192.0.2.1").status_code == 401
    token = issuer.token()
    limited = exchange(token, REMOTE_ADDR="192.0.2.1")
    assert (limited.status_code, limited.headers["Retry-After"]) == (
        429,
        limited.headers["RateLimit"].partition("t=")[2],
    )
    assert exchange(token, REMOTE_ADDR="192.0.2.2").status_code == 201


@pytest.mark.contract("31.12")
@pytest.mark.usefixtures("publisher")
def test_only_genuine_tokens_count_against_a_publisher(issuer, exchange, rates):
    rates(exchange_publisher="1/h")

    forged = issuer.token()[:-8] + "AAAAAAAA"
    assert exchange(forged).headers["RateLimit-Policy"].startswith('"exchange";')
    first = exchange(issuer.token())
    assert (first.status_code, first.headers["RateLimit-Policy"]) == (
        201,
        '"exchange";q=300;w=3600, "exchange-publisher";q=1;w=3600',
    )
    second = issuer.token()
    assert exchange(second).status_code == 429
    rates(exchange_publisher="3/h")
    assert exchange(second).status_code == 201
    assert exchange(second).headers["RateLimit-Policy"] == '"exchange";q=300;w=3600'


@pytest.mark.contract("31.8")
@pytest.mark.usefixtures("publisher")
@pytest.mark.parametrize("state", ["suspend", "pause"])
def test_an_agent_that_was_stopped_gets_no_token(issuer, exchange, assert_refused, agent, state):
    token = issuer.token()
    getattr(agent, state)()
    assert_refused(token, "caller is suspended or paused")

    getattr(agent, {"suspend": "restore", "pause": "resume"}[state])()
    assert exchange(token).status_code == 201


@pytest.mark.contract("31.8")
@pytest.mark.usefixtures("publisher")
def test_an_agent_that_may_not_submit_gets_no_token(
    issuer, exchange, assert_refused, agent, settings
):
    settings.SUBMISSIONS = "claimed"
    assert_refused(issuer.token(), "SUBMISSIONS=claimed does not allow caller")

    claim(agent)
    assert exchange(issuer.token()).status_code == 201


@pytest.mark.contract("31.8")
@pytest.mark.parametrize(("body", "error"), WITHOUT_TOKEN, ids=str)
def test_a_body_without_a_text_is_refused(anyone, body, error):
    response = anyone.post(URL, body)

    assert (response.status_code, response.json()) == (400, {"error": error})


@pytest.mark.contract("31.6")
@pytest.mark.usefixtures("publisher")
def test_a_token_of_an_hour_is_short_enough(issuer, exchange):
    assert exchange(issuer.token(lasts=HOUR)).status_code == 201


@pytest.mark.contract("31.2", "29.3")
@pytest.mark.usefixtures("publisher")
def test_it_submits_and_nothing_else(issuer, exchange, client_of):
    run = client_of(token=exchange(issuer.token()).json()["token"])

    assert run.post(SUBMISSIONS, SKILL).status_code == 201
    assert run.get("/api/v1/agents/me").status_code == 403
    assert run.post(TOKENS).status_code == 403
