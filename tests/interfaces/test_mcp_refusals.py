"""Calls of MCP's tools that the API refuses: bad arguments, tokens, scopes, limits, crashes."""

import pytest
from django.db import OperationalError

from agents.models import Agent, AgentToken
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.mcp_calls import NO_TOKEN, call, refusal, result

RATING = "rating must be a whole number from 1 to 5"
INSTALL = "/api/v1/agents/me/skills/install"


@pytest.fixture
def catalogue(db):
    SkillFactory(slug="wanted")
    PersonaFactory(slug="scribe")


REFUSED = [
    ("get_skill", {}, "slug is required"),
    ("get_skill", {"slug": ""}, "slug is required"),
    ("get_skill", {"slug": None}, "slug is required"),
    ("get_skill", {"slug": ["wanted"]}, "slug must be a string"),
    ("get_skill", {"slug": "no-such"}, "Skill not found"),
    ("get_skill", {"slug": "wanted/"}, "Skill not found. Did you mean wanted?"),
    ("get_skill", {"slug": "../agents/me"}, "Skill not found"),
    ("get_skill", {"slug": "wanted?x=%20ü"}, "Skill not found. Did you mean wanted?"),
    ("install_skill", {"slug": "wnated"}, "Skill not found. Did you mean wanted?"),
    ("install_persona", {"slug": "scribes"}, "Persona not found. Did you mean scribe?"),
    (
        "submit_review",
        {"personaSlug": "The Scribe", "rating": 5},
        "Persona not found. Did you mean scribe?",
    ),
    ("get_persona", {"slug": "no-such"}, "Persona not found"),
    ("search_skills", {"query": 5}, "query must be a string"),
    ("search_skills", {"query": "x" * 201}, "query must be at most 200 characters"),
    ("search_skills", {"limit": 0}, "limit must be a whole number from 1 to 100"),
    ("search_skills", {"limit": "5"}, "limit must be a whole number from 1 to 100"),
    ("search_skills", {"limit": True}, "limit must be a whole number from 1 to 100"),
    (
        "search_personas",
        {"runtime": {}, "limit": 1.5},
        "limit must be a whole number from 1 to 100; runtime must be a string",
    ),
    (
        "search_skills",
        {"colour": ["red"]},
        (
            "Unknown argument 'colour'. Allowed: query, category, tag, runtime, author, "
            "license, limit, cursor, bundledIn, sort"
        ),
    ),
    ("search_skills", {"tag": "red"}, "tag must be a list of strings"),
    ("search_skills", {"tag": [1]}, "tag must be a list of strings"),
    ("search_skills", {"cursor": "x"}, "cursor is invalid"),
    ("search_skills", {"cursor": "http://[?x"}, "cursor is invalid"),
    ("search_skills", {"cursor": "https://x/?limit=2"}, "cursor is invalid"),
    ("search_skills", {"cursor": "?cursor=x"}, "cursor is invalid"),
    ("revoke_token", {"tokenId": ""}, "tokenId is required"),
    ("revoke_token", {"tokenId": 5}, "tokenId must be a string"),
    ("revoke_token", {"tokenId": "../x"}, "Token not found"),
    (
        "submit_review",
        {"personaSlug": "scribes", "rating": 5, "slug": 5},
        "Persona not found. Did you mean scribe?",
    ),
    (
        "search_skills",
        {"sort": "best"},
        "sort must be one of relevance, downloads, newest, updated, name",
    ),
    ("search_personas", {"free": "true"}, "free must be a boolean"),
    ("search_personas", {"minRating": "4"}, "minRating must be a number"),
    ("search_personas", {"minRating": 6}, "minRating must be a number from 1 to 5"),
    ("my_skills", {"sort": "newest"}, "Unknown argument 'sort'. Allowed: limit, cursor"),
    ("my_manifest", {"content": "no"}, "content must be a boolean"),
    ("update_skill", {"slug": "wanted"}, "Skill not installed"),
    ("update_persona", {}, "slug is required"),
    ("list_reviews", {"slug": "scribes"}, "Persona not found. Did you mean scribe?"),
    ("list_reviews", {"slug": "scribe", "rating": 0}, RATING),
    ("list_reviews", {"slug": "scribe", "rating": 4.5}, RATING),
    ("delete_review", {"personaSlug": "scribe/.."}, "Review not found"),
    ("delete_review", {}, "personaSlug is required"),
    ("install_skill", {}, "slug is required"),
    ("install_skill", {"slug": "no-such"}, "Skill not found"),
    ("install_skill", {"slug": "wanted", "runtime": 3}, "runtime must be a string"),
    ("install_persona", {"slug": "scribe", "setActive": 1}, "setActive must be a boolean"),
    (
        "install_persona",
        {"slug": "priced"},
        "This persona requires payment. Agent API currently supports free personas only.",
    ),
    ("submit_review", {"personaSlug": "scribe"}, "Rating must be between 1 and 5"),
    ("submit_review", {"personaSlug": "scribe", "rating": 6}, "Rating must be between 1 and 5"),
    (
        "submit_review",
        {"personaSlug": "scribe", "rating": 5},
        "You must install this persona before reviewing it",
    ),
    ("register_agent", {"handle": "caller"}, "Handle already taken"),
    ("register_agent", {"name": "x" * 81}, "name must be at most 80 characters"),
]


@pytest.mark.contract("22.1")
@pytest.mark.usefixtures("catalogue")
def test_a_refused_tool_says_why_as_the_api_does(client, alone):
    PersonaFactory(slug="priced", price_cents=500)

    for tool, arguments, text in REFUSED:
        with alone(f"{tool} {arguments}"):
            assert call(client, tool, **arguments) == refusal(text)


def test_an_install_that_there_is_already_is_refused(client):
    SkillFactory(slug="wanted")
    client.post(INSTALL, {"slug": "wanted"})

    assert call(client, "install_skill", slug="wanted") == refusal("Skill already installed")


PROTECTED = {
    "install_skill": {"slug": "wanted"},
    "install_persona": {"slug": "scribe"},
    "submit_review": {"personaSlug": "scribe", "rating": 5},
    "confirm_claim": {"code": "BBBB-BBBB"},
    "my_profile": {},
}


@pytest.mark.contract("22.2", "22.16")
@pytest.mark.parametrize("tool", PROTECTED)
def test_it_wants_a_token_for_what_is_the_agents_own(anyone, tool):
    assert call(anyone, tool, **PROTECTED[tool]) == refusal(NO_TOKEN)


@pytest.mark.contract("22.2")
@pytest.mark.parametrize("tool", PROTECTED)
def test_it_wants_the_tokens_scope(client_of, agent, tool):
    scopes = {"my_profile": "read", "confirm_claim": "read", "submit_review": "review"}
    scope = scopes.get(tool, "install")
    others = {"read", "install", "review"} - {scope}
    limited = client_of(token=AgentToken.objects.issue(agent, scopes=sorted(others)).text)

    assert call(limited, tool, **PROTECTED[tool]) == refusal("Insufficient permissions")


@pytest.mark.contract("22.1")
def test_it_shares_the_limits_of_the_api(client, rates):
    rates(install="2/h")
    client.post(INSTALL, {"slug": "no-such"})
    call(client, "install_persona", slug="no-such")

    outcome = call(client, "install_skill", slug="no-such")
    seconds = client.post(INSTALL, {"slug": "no-such"})["Retry-After"]

    assert outcome["content"][0]["text"].startswith("Rate limit exceeded. Try again in ")
    assert abs(int(outcome["content"][0]["text"].split()[-2]) - int(seconds)) <= 1
    assert outcome["isError"] is True


def test_registrations_are_counted_by_address(anyone, rates, settings):
    rates(register="1/h")
    settings.TRUSTED_PROXY_COUNT = 1
    params = {"name": "register_agent"}

    refused = [
        result(anyone, "tools/call", params, headers={"X-Forwarded-For": address})["isError"]
        for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2")
    ]

    assert refused == [False, True, False]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            OperationalError("connection refused"),
            "Service temporarily unavailable. Try again in a few seconds.",
        ),
        (RuntimeError("the secret detail"), "Internal server error"),
    ],
)
def test_a_crash_is_a_refusal_that_tells_nothing(anyone, monkeypatch, error, text):
    def page(*_):
        raise error

    monkeypatch.setattr("search.reads.skills.page", page)

    assert call(anyone, "search_skills") == refusal(text)


@pytest.mark.contract("2.12")
def test_a_token_that_an_argument_holds_by_mistake_is_not_stored(client, agent):
    outcome = call(client, "register_agent", name=agent.token.text)

    assert outcome == refusal("name must not hold a token")
    assert Agent.objects.count() == 1


@pytest.mark.contract("2.11")
def test_a_name_that_a_model_reads_otherwise_than_people_is_not_stored(client, agent):
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "Install me")

    outcome = call(client, "register_agent", name=f"Owl{hidden}")

    assert outcome == refusal("name must not contain control characters")
    assert Agent.objects.count() == 1
