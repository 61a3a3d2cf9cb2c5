"""Personas as MCP's prompts (contract 34.41)"""

from itertools import pairwise
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.utils import timezone

from agents.models import AgentToken
from catalogue.models import Persona
from installs.models import PersonaInstall
from tests.api.versions import persona_with_versions
from tests.factories import PersonaFactory, PersonaInstallFactory
from tests.interfaces.mcp_calls import modern, result, send

pytestmark = pytest.mark.contract("34.41")
PAYMENT = "This persona requires payment. Agent API currently supports free personas only."


@pytest.fixture
def persona(db):
    return persona_with_versions()


def names(client, **params):
    return [prompt["name"] for prompt in result(client, "prompts/list", params)["prompts"]]


def text(client, slug):
    [message] = result(client, "prompts/get", {"name": slug})["messages"]
    return message["content"]["text"]


def error(client, method, **params):
    response = send(client, method, params)
    assert response.status_code == 200
    return response.json()["error"]


def test_the_free_personas_are_listed_by_popularity(anyone, db):
    PersonaFactory(slug="rare", installs=1)
    PersonaFactory(slug="common", title="The Common", description="Does it.", installs=20)
    PersonaFactory(slug="priced", price_cents=100, installs=30)
    PersonaFactory(slug="draft", status="draft")
    PersonaFactory(slug="gone", status="withdrawn", withdrawal_reason="Unsafe.")

    listed = result(anyone, "prompts/list")

    assert names(anyone) == ["common", "rare"]
    assert listed["prompts"][0] == {
        "name": "common",
        "title": "The Common",
        "description": "Does it.",
    }
    assert listed.keys() == {"prompts"}


def test_a_prompt_is_one_message_of_the_user(anyone, persona):
    Persona.objects.update(description="Keeps the archive.")

    assert result(anyone, "prompts/get", {"name": "archivist"}) == {
        "description": "Keeps the archive.",
        "messages": [{"role": "user", "content": {"type": "text", "text": "You are two."}}],
    }


def test_the_agents_own_come_first_and_once(client, agent):
    for slug, installs in (("popular", 9), ("other", 8), ("mine", 2), ("active", 1)):
        PersonaFactory(slug=slug, installs=installs)
    active, mine, left = (Persona.objects.get(slug=s) for s in ("active", "mine", "other"))
    PersonaInstallFactory(agent=agent, persona=active, is_active=True)
    PersonaInstallFactory(agent=agent, persona=mine)
    PersonaInstallFactory(agent=agent, persona=left, removed_at=timezone.now())
    PersonaInstallFactory(persona=Persona.objects.get(slug="popular"))

    assert names(client) == ["active", "mine", "popular", "other"]


def test_an_own_prompt_has_the_version_that_the_agent_gets(client, anyone, agent, persona):
    first = persona.versions.get(number=1)
    PersonaInstallFactory(agent=agent, persona=persona, pinned=first)
    Persona.objects.update(title="Newer", description="Newer.")

    [own], [newest] = (result(c, "prompts/list")["prompts"] for c in (client, anyone))

    assert (text(client, "archivist"), text(anyone, "archivist")) == (
        "You are one.",
        "You are two.",
    )
    assert (own["title"], own["description"]) == (first.title, first.description)
    assert (newest["title"], newest["description"]) == ("Newer", "Newer.")


def test_an_own_persona_that_has_a_price_now_stays_a_prompt(client, anyone, agent, persona):
    PersonaInstallFactory(agent=agent, persona=persona)
    Persona.objects.update(price_cents=100)

    assert names(client) == ["archivist"]
    assert text(client, "archivist") == "You are two."
    assert names(anyone) == []


def test_a_recalled_pin_is_no_prompt_and_not_the_newest(client, agent, persona):
    PersonaInstallFactory(agent=agent, persona=persona, pinned=persona.versions.get(number=1))
    persona.versions.filter(number=1).update(recalled_at=timezone.now(), recall_reason="Unsafe.")

    assert names(client) == []
    assert error(client, "prompts/get", name="archivist") == {
        "code": -32602,
        "message": "Version not found",
    }


@pytest.mark.parametrize(
    ("slug", "sentence"),
    [
        ("no-such", "Persona not found"),
        ("Not A Slug/", "Persona not found"),
        ("", "Persona not found"),
        ("draft", "Persona not found"),
        ("recalled", "Persona not found"),
        ("priced", PAYMENT),
    ],
)
@pytest.mark.parametrize("has_token", [True, False])
def test_what_the_agent_cannot_have_is_refused_as_by_the_api(
    client, anyone, agent, slug, sentence, has_token
):
    PersonaFactory(slug="draft", status="draft")
    PersonaFactory(slug="priced", price_cents=100)
    recalled = PersonaFactory(slug="recalled", status="withdrawn", withdrawal_reason="Unsafe.")
    PersonaInstallFactory(agent=agent, persona=recalled)

    refused = error(client if has_token else anyone, "prompts/get", name=slug)

    assert refused == {"code": -32602, "message": sentence}
    assert "recalled" not in names(client)


@pytest.mark.parametrize("params", [{}, {"name": 5}, {"name": None}])
def test_a_prompt_needs_a_name(anyone, params):
    assert error(anyone, "prompts/get", **params)["message"] == "Invalid request parameters"


def test_a_page_has_a_hundred(client, agent, subtests):
    personas = PersonaFactory.create_batch(103)
    newest = [persona.slug for persona in reversed(personas)]

    for before, own in pairwise([0, 0, 2, 100, 101]):
        for persona in personas[before:own]:
            PersonaInstallFactory(agent=agent, persona=persona)
        with subtests.test(f"{own} of its own"):
            expected = newest[103 - own :] + newest[: 103 - own]

            first = result(client, "prompts/list")
            second = result(client, "prompts/list", {"cursor": first["nextCursor"]})

            pages = [[prompt["name"] for prompt in page["prompts"]] for page in (first, second)]
            assert pages == [expected[:100], expected[100:]]
            assert "nextCursor" not in second


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "9" * 10])
def test_a_cursor_that_the_server_did_not_make_is_refused(anyone, cursor):
    refused = error(anyone, "prompts/list", cursor=cursor)

    assert refused == {"code": -32602, "message": "cursor is invalid"}


def test_a_cursor_of_another_agent_is_refused(anyone, client, db):
    PersonaFactory.create_batch(101)
    cursor = result(anyone, "prompts/list")["nextCursor"]

    assert error(client, "prompts/list", cursor=cursor)["message"] == "cursor is invalid"


def test_without_the_scope_the_list_is_an_error_and_a_prompt_is_public(client_of, agent, persona):
    PersonaInstallFactory(agent=agent, persona=persona, pinned=persona.versions.get(number=1))
    narrow = client_of(token=AgentToken.objects.issue(agent, ["install"]).text)

    assert error(narrow, "prompts/list")["message"] == "Insufficient permissions"
    assert text(narrow, "archivist") == "You are two."


def test_another_scheme_gets_no_public_list(anyone, persona):
    response = send(anyone, "prompts/list", headers={"Authorization": "Basic x"})

    assert response.json()["error"] == {"code": -32602, "message": "Authentication required"}


@pytest.mark.contract("26.9")
@pytest.mark.usefixtures("persona")
def test_a_members_only_catalogue_has_prompts_for_members(
    anyone, client, client_of, agent, settings
):
    settings.CATALOGUE = "members"
    narrow = client_of(token=AgentToken.objects.issue(agent, ["install"]).text)

    assert names(anyone) == []
    for slug in ("archivist", "no-such"):
        refused = error(anyone, "prompts/get", name=slug)
        assert refused == {"code": -32602, "message": "Authentication required"}
        assert error(narrow, "prompts/get", name=slug)["message"] == "Insufficient permissions"
    assert error(narrow, "prompts/list")["message"] == "Insufficient permissions"
    assert names(client) == ["archivist"]
    assert text(client, "archivist") == "You are two."


@pytest.mark.usefixtures("persona")
def test_clients_without_a_handshake_are_told_who_may_cache(client, anyone):
    for caller, scope in ((client, "private"), (anyone, "public")):
        for request in (modern("prompts/list"), modern("prompts/get", name="archivist")):
            response = send(caller, **request)

            assert response.status_code == 200
            told = response.json()["result"]
            assert (told["ttlMs"], told["cacheScope"]) == (0, scope)
            assert told["resultType"] == "complete"


def test_the_header_repeats_the_name(anyone, persona):
    request = modern("prompts/get", name="archivist")
    request["headers"]["Mcp-Name"] = "other"

    response = send(anyone, **request)

    assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)


@pytest.mark.contract("3.8")
@pytest.mark.parametrize("method", ["prompts/list", "prompts/get"])
def test_an_unavailable_database_is_a_503(client, monkeypatch, method):
    away = Mock(side_effect=OperationalError("away"))
    monkeypatch.setattr("agents.authentication.AgentToken.objects.authenticate", away)

    response = send(client, **modern(method, name="archivist"))

    sentence = "Service temporarily unavailable. Try again in a few seconds."
    assert (response.status_code, response["Retry-After"]) == (503, "2")
    assert response.json() == {"error": sentence}


def test_reading_counts_nothing(client, anyone, persona):
    for caller in (client, anyone):
        names(caller)
        text(caller, "archivist")

    assert Persona.objects.get().installs == 0
    assert not PersonaInstall.objects.exists()


@pytest.mark.parametrize(
    ("has_token", "method", "params", "most"),
    [
        (False, "prompts/list", {}, 1),
        (True, "prompts/list", {}, 3),
        (False, "prompts/get", {"name": "archivist"}, 1),
        (True, "prompts/get", {"name": "archivist"}, 2),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_it_asks_few_queries(
    client, anyone, agent, has_token, method, params, most, django_assert_num_queries
):
    for persona in (persona_with_versions(), *PersonaFactory.create_batch(3)):
        PersonaInstallFactory(agent=agent, persona=persona)
    caller = client if has_token else anyone
    result(caller, method, params)  # writes the token's last use, once

    with django_assert_num_queries(most):
        result(caller, method, params)
