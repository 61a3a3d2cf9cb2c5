"""Errors of every layer: their order, and one sentence of JSON each (contract 3.2)."""

import pytest

from agents.models import AgentToken
from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillInstallFactory,
    ask_for_code,
)

SKILLS = "/api/v1/skills"
REGISTER = "/api/v1/agents/register"
ME = "/api/v1/agents/me"
CONFIRM = "/api/v1/agents/me/confirm-claim"
INSTALL_SKILL = "/api/v1/agents/me/skills/install"
INSTALL_PERSONA = "/api/v1/agents/me/personas/install"
REVIEWS = "/api/v1/agents/me/reviews"

NO_PATH = "Not found: the API has no such path"
CRASH = "Internal server error"
AWAY = "Service temporarily unavailable. Try again in a few seconds."
RATING = "Rating must be between 1 and 5"


def assert_error(response, status, error):
    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.json() == {"error": error}


# The order of checks: each request breaks two rules and gets the error of the earlier one.


@pytest.mark.contract("3.2")
def test_an_unknown_route_comes_before_the_method(anyone):
    assert_error(anyone.delete("/api/v1/nowhere"), 404, NO_PATH)


@pytest.mark.contract("3.2", "3.4")
def test_the_method_comes_before_the_token(anyone):
    response = anyone.put(ME)

    assert_error(response, 405, "Method PUT is not allowed here; use GET, HEAD, PATCH")
    assert response.headers["Allow"] == "GET, HEAD, PATCH"


@pytest.mark.contract("3.2")
def test_the_method_comes_before_the_slug(anyone):
    response = anyone.delete(f"{SKILLS}/no-such")

    assert_error(response, 405, "Method DELETE is not allowed here; use GET, HEAD")
    assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.contract("3.2")
def test_the_token_comes_before_its_scopes(client_of, agent):
    token = AgentToken.objects.issue(agent, ["read"])
    token.revoke()

    response = client_of(token=token.text).post(INSTALL_SKILL, {"slug": "pdf-tables"})

    assert_error(response, 401, "Authentication required")


@pytest.mark.contract("3.2")
def test_the_scope_comes_before_the_rate_limit(client_of, agent, rates):
    rates(install="0/h")
    token = AgentToken.objects.issue(agent, ["read"])

    response = client_of(token=token.text).post(INSTALL_SKILL, {"slug": "pdf-tables"})

    assert_error(response, 403, "Insufficient permissions")
    assert "RateLimit" not in response.headers


@pytest.mark.contract("3.2")
@pytest.mark.parametrize(
    ("body", "content_type"),
    [(b"{}", "text/plain"), (b" " * 70_000, "application/json"), (b"{", "application/json")],
    ids=["415", "413", "400"],
)
@pytest.mark.parametrize("url", [INSTALL_SKILL, INSTALL_PERSONA, REVIEWS, CONFIRM, REGISTER])
def test_the_rate_limit_comes_before_the_body(client, rates, url, body, content_type):
    rates(install="0/h", review="0/h", confirm_claim="0/h", register="0/h")

    response = client.generic("POST", url, body, content_type)

    seconds = response.headers["Retry-After"]
    assert_error(response, 429, f"Rate limit exceeded. Try again in {seconds} seconds.")


@pytest.mark.contract("3.2")
def test_the_type_of_the_body_comes_before_its_size(client):
    response = client.generic("POST", INSTALL_SKILL, b" " * 70_000, "text/plain")

    assert_error(response, 415, "Content-Type must be application/json")


@pytest.mark.contract("3.2")
def test_the_size_of_the_body_comes_before_its_contents(client):
    assert_error(client.post(INSTALL_SKILL, b"{" * 70_000), 413, "Request body is too large")


@pytest.mark.contract("3.2")
def test_the_body_comes_before_the_slug(client):
    response = client.post(INSTALL_SKILL, {"slug": "no-such", "runtime": 5})

    assert_error(response, 400, "runtime must be a string")


@pytest.mark.contract("3.2")
def test_the_body_comes_before_the_conflict(client, agent):
    SkillInstallFactory(agent=agent, skill__slug="pdf-tables")

    response = client.post(INSTALL_SKILL, {"slug": "pdf-tables", "runtime": 5})

    assert_error(response, 400, "runtime must be a string")


def test_the_body_comes_before_a_taken_handle(client):
    response = client.post(REGISTER, {"handle": "caller", "name": 5})

    assert_error(response, 400, "name must be a string")


def test_the_body_comes_before_a_claim_that_is_made(client, agent):
    code = ask_for_code(agent, name="Acme", email="ops@acme.example")
    client.post(CONFIRM, {"code": code})

    assert_error(client.post(CONFIRM, {}), 400, "code is required")
    assert_error(client.post(CONFIRM, {"code": "no"}), 409, "Agent is already claimed")


@pytest.mark.contract("9.8")
def test_installing_a_withdrawn_skill_again_is_a_conflict(client, agent):
    SkillInstallFactory(agent=agent, skill__slug="pdf-tables", skill__status="withdrawn")

    assert_error(client.post(INSTALL_SKILL, {"slug": "pdf-tables"}), 409, "Skill already installed")


def test_installing_a_withdrawn_persona_again_is_a_conflict(client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist", persona__status="withdrawn")

    response = client.post(INSTALL_PERSONA, {"slug": "archivist"})

    assert_error(response, 409, "Persona already installed")


@pytest.mark.contract("3.2", "9.7")
def test_a_withdrawn_persona_is_not_found_even_where_it_has_a_price(client):
    PersonaFactory(slug="archivist", status="withdrawn", price_cents=500)

    assert_error(client.post(INSTALL_PERSONA, {"slug": "archivist"}), 404, "Persona not found")


@pytest.mark.contract("3.2", "9.8")
def test_the_conflict_comes_before_the_payment(client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist", persona__price_cents=500)

    response = client.post(INSTALL_PERSONA, {"slug": "archivist"})

    assert_error(response, 409, "Persona already installed")


@pytest.mark.contract("3.2", "3.10")
def test_the_payment_comes_last(client):
    PersonaFactory(slug="archivist", price_cents=500)

    response = client.post(INSTALL_PERSONA, {"slug": "archivist", "setActive": True})

    text = "This persona requires payment. Agent API currently supports free personas only."
    assert_error(response, 402, text)


def test_the_rating_of_a_review_comes_before_the_install(client):
    PersonaFactory(slug="archivist")

    response = client.post(REVIEWS, {"personaSlug": "archivist", "rating": 0})

    assert_error(response, 400, RATING)


@pytest.mark.contract("3.3")
def test_the_persona_of_a_review_comes_before_the_install(client):
    PersonaFactory(slug="archivist", status="draft")

    response = client.post(REVIEWS, {"personaSlug": "archivist", "rating": 5})

    assert_error(response, 404, "Persona not found")


# Only WWW-Authenticate says why a caller was refused.


@pytest.mark.contract("3.5")
@pytest.mark.parametrize("authorization", ["", "Basic YTpi", "Bearer", "Bearer  ", "mkt_agent_x"])
def test_without_a_bearer_token_401_names_only_the_realm(anyone, authorization):
    response = anyone.get(ME, headers={"Authorization": authorization})

    assert_error(response, 401, "Authentication required")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="marketplace"'


@pytest.mark.contract("3.5")
@pytest.mark.parametrize(
    "credentials", ["mkt_agent_x", "{token}x", "{token} {token}", "\tx", "\xff", '"']
)
def test_with_a_refused_token_401_says_so(anyone, agent, credentials):
    credentials = credentials.format(token=agent.token.text)

    response = anyone.get(ME, headers={"Authorization": f"Bearer {credentials}"})

    assert_error(response, 401, "Authentication required")
    header = 'Bearer realm="marketplace", error="invalid_token"'
    assert response.headers["WWW-Authenticate"] == header
