"""POST /api/v1/agents/register with REGISTRATION=open, invitation and closed (contract 26.1)"""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Agent, AgentToken, Invitation
from agents.serializers.agents import RegisterSerializer
from agents.tokens import mint_invitation
from tests.factories import AgentFactory

URL = "/api/v1/agents/register"
REVOKE = "/api/v1/tokens/revoke"
BY_INVITATION = {"error": "Registration is by invitation"}
NOT_VALID = {"error": "Invitation is not valid"}
CLOSED = {"error": "Registration is closed"}


def unknown(_invitation):
    return mint_invitation()


def malformed(invitation):
    return invitation.text[:-1]


def empty(_invitation):
    return ""


def spent(invitation):
    Invitation.objects.update(used=1)
    return invitation.text


def expired(invitation):
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    return invitation.text


def revoked(invitation):
    invitation.revoke()
    return invitation.text


def of_a_token(_invitation):
    return AgentFactory().token.text


REFUSED = [unknown, malformed, empty, spent, expired, revoked, of_a_token]


@pytest.fixture
def by_invitation(settings):
    settings.REGISTRATION = "invitation"


@pytest.fixture
def invitation(db):
    return Invitation.objects.issue()


@pytest.mark.contract("5.7", "26.1")
@pytest.mark.usefixtures("by_invitation")
@pytest.mark.parametrize("body", [{}, {"invitation": None}, b""])
def test_without_an_invitation_nobody_registers(anyone, body):
    response = anyone.post(URL, body)

    assert (response.status_code, response.json()) == (403, BY_INVITATION)
    assert "WWW-Authenticate" not in response.headers
    assert not Agent.objects.exists()


@pytest.mark.contract("26.1")
@pytest.mark.usefixtures("by_invitation")
def test_an_invitation_lets_an_agent_register(anyone, invitation, client_of):
    response = anyone.post(URL, {"handle": "guest", "invitation": invitation.text})

    agent = Agent.objects.get()
    assert response.status_code == 201
    assert response.json()["handle"] == "guest"
    assert "invitation" not in response.json()
    assert (agent.invitation, agent.tier) == (invitation, "free")
    assert client_of(token=response.json()["token"]).get("/api/v1/agents/me").status_code == 200
    assert Invitation.objects.get().used == 1


@pytest.mark.contract("26.1")
@pytest.mark.parametrize("mode", ["open", "invitation"])
@pytest.mark.parametrize("text", REFUSED)
def test_an_invalid_invitation_is_refused_in_one_way(anyone, settings, invitation, mode, text):
    settings.REGISTRATION = mode
    text, before = text(invitation), list(Agent.objects.all())

    response = anyone.post(URL, {"invitation": text})

    assert (response.status_code, response.json()) == (403, NOT_VALID)
    assert list(Agent.objects.all()) == before


@pytest.mark.contract("26.4")
@pytest.mark.usefixtures("by_invitation")
def test_every_invalid_invitation_costs_the_same_statements(anyone, subtests):
    seen = set()
    for text in REFUSED:
        invitation = Invitation.objects.issue()
        body = {"invitation": text(invitation)}
        with CaptureQueriesContext(
            connection,
        ) as queries:
            anyone.post(URL, body)
        # Now and then a request also deletes counters that have ended.
        kinds = [query["sql"].split()[0] for query in queries]
        seen.add(tuple(kind for kind in kinds if kind != "DELETE"))
        Invitation.objects.all().delete()

    assert len(seen) == 1


@pytest.mark.contract("5.7", "26.1")
def test_an_open_marketplace_gives_the_rights_of_an_invitation(anyone, client_of, rates):
    rates(install={"free": "1/h", "plus": "5/h"})
    invitation = Invitation.objects.issue(uses=2, scopes=["review", "read"], tier="plus")

    registered = anyone.post(URL, {"invitation": invitation.text}).json()

    limits = client_of(token=registered["token"]).get("/api/v1/agents/me/limits").json()
    assert registered["scopes"] == ["read", "review"]
    assert AgentToken.objects.get().scopes == ["read", "review"]
    assert limits["limits"][0]["limit"] == 5
    assert Invitation.objects.get().used == 1


def test_without_an_invitation_an_open_marketplace_gives_all_scopes(anyone, invitation):
    assert anyone.post(URL, {}).json()["scopes"] == ["read", "install", "review"]
    assert Invitation.objects.get().used == 0


@pytest.mark.contract("26.1")
@pytest.mark.parametrize("has_invitation", [True, False])
def test_a_closed_marketplace_registers_nobody(anyone, settings, invitation, has_invitation):
    settings.REGISTRATION = "closed"

    response = anyone.post(URL, {"invitation": invitation.text} if has_invitation else {})

    assert (response.status_code, response.json()) == (403, CLOSED)
    assert not Agent.objects.exists()
    assert Invitation.objects.get().used == 0


@pytest.mark.contract("26.1")
@pytest.mark.parametrize("mode", ["open", "invitation", "closed"])
def test_the_body_is_checked_first(anyone, settings, mode):
    settings.REGISTRATION = mode

    response = anyone.post(URL, {"name": "", "invitation": 5})

    error = "name must not be blank; invitation must be a string"
    assert (response.status_code, response.json()) == (400, {"error": error})


@pytest.mark.contract("26.1")
@pytest.mark.parametrize("mode", ["open", "invitation", "closed"])
def test_the_limit_of_registrations_holds_in_every_mode(anyone, settings, rates, mode):
    settings.REGISTRATION = mode
    rates(register="1/h")
    first = anyone.post(URL, {})

    second = anyone.post(URL, {})

    assert first.status_code == (201 if mode == "open" else 403)
    assert second.status_code == 429
    assert "Retry-After" in second.headers


@pytest.mark.contract("26.4")
def test_a_registration_that_fails_spends_nothing(anyone, invitation):
    AgentFactory(handle="taken")

    response = anyone.post(URL, {"handle": "taken", "invitation": invitation.text})

    assert (response.status_code, response.json()) == (409, {"error": "Handle already taken"})
    assert Invitation.objects.get().used == 0
    assert anyone.post(URL, {"invitation": invitation.text}).status_code == 201


@pytest.mark.contract("26.4")
def test_an_invitation_is_spent_after_its_uses(anyone):
    invitation = Invitation.objects.issue(uses=3)

    statuses = [anyone.post(URL, {"invitation": invitation.text}).status_code for _ in range(5)]

    assert statuses == [201, 201, 201, 403, 403]
    assert invitation.agents.count() == Invitation.objects.get().used == 3


@pytest.mark.contract("26.2")
def test_only_a_digest_and_a_hint_of_an_invitation_are_stored(invitation):
    opaque = invitation.text.removeprefix("mkt_invite_")

    stored = str(Invitation.objects.values())
    assert len(opaque) == 38
    assert opaque not in stored
    assert f"mkt_invite_{opaque[:4]}…{opaque[-4:]}" in stored


@pytest.mark.contract("26.2")
def test_anyone_can_revoke_an_invitation_that_leaked(anyone, invitation):
    response = anyone.post(REVOKE, {"token": invitation.text})

    assert response.status_code == 200
    assert response.json() == {"message": "If the token existed, it is revoked"}
    assert Invitation.objects.get().revocation_reason == "Reported as leaked"
    assert anyone.post(URL, {"invitation": invitation.text}).json() == NOT_VALID


def test_revoking_an_invitation_leaves_its_agents(anyone, client_of, invitation):
    token = anyone.post(URL, {"invitation": invitation.text}).json()["token"]
    invitation.revoke()

    assert client_of(token=token).get("/api/v1/agents/me").status_code == 200


@pytest.mark.parametrize(("registration", "has_one"), [("open", False), ("invitation", True)])
def test_the_example_of_a_registration_is_one_that_works(settings, registration, has_one):
    settings.REGISTRATION = registration

    assert ("invitation" in RegisterSerializer().get_initial()) == has_one
