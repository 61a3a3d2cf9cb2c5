"""Hostile input gets the right 4xx in JSON, one sentence, and writes nothing (contract 2)."""

from itertools import cycle
from urllib.parse import quote, unquote

import pytest

from agents.models import Agent, AgentToken, ClaimCode, OperatorClaim
from catalogue.models import Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from tests.api import hostile_bodies, hostile_fields, hostile_urls, valid_edge_cases
from tests.api.request_cases import ALLOWED, ME, PERSONAS, SKILL, SKILLS, Case
from tests.conftest import ApiClient
from tests.factories import SkillFactory
from tests.registry import prepare
from tests.snapshots import snapshot

# One client for all cases, because a new one loads the middleware, which takes longer than a case.
CLIENT = ApiClient(raise_request_exception=False)


@pytest.fixture
def send(agent):
    """Send a case as `agent`, for whom every endpoint has something to do."""
    prepare(agent)
    spares = cycle([AgentToken.objects.issue(agent).text for _ in range(3)])

    def send(case):
        headers = {k: v.replace("TOKEN", agent.token.text) for k, v in case.headers}
        if headers.get("Authorization") == "Bearer SPARE":
            headers["Authorization"] = f"Bearer {next(spares)}"
        path = case.path.replace("TOKEN", agent.token.text)
        return CLIENT.generic(case.method, path, case.body, case.content_type, headers=headers)

    return send


def stored_rows():
    """Everything that a request could have written."""
    return snapshot(
        *(Agent, SkillInstall, PersonaInstall, Review),
        (AgentToken, "scopes", "expires_at", "revoked_at"),
        (OperatorClaim, "claimed_at"),
        (ClaimCode, "wrong_codes"),
        (Skill, "downloads"),
        (Persona, "installs", "rating_count"),
    )


def assert_all_refused(cases, send, before=None):
    before = before or stored_rows()
    responses = []
    for case in cases:
        response = send(case)

        assert response.status_code == case.status, (case.path, response.content[:300])
        assert response.headers["Content-Type"] == "application/json"
        ((key, error),) = response.json().items()
        assert key == "error"
        assert isinstance(error, str)
        assert error.strip()
        assert case.error in {None, error}
        responses.append(response)
    assert stored_rows() == before
    return responses


@pytest.fixture
def assert_each_refused(send, alone):
    """For a table of (name, cases)."""

    def assert_each_refused(table):
        before = stored_rows()
        for name, cases in table:
            with alone(name):
                assert_all_refused(cases, send, before)

    return assert_each_refused


@pytest.mark.contract("2.1", "2.7")
def test_an_unusable_body_is_refused_by_every_endpoint(assert_each_refused):
    assert_each_refused(hostile_bodies.BODIES)


@pytest.mark.contract("2.2")
def test_a_body_of_another_type_is_refused_by_every_endpoint(assert_each_refused):
    assert_each_refused(hostile_bodies.CONTENT_TYPES)


@pytest.mark.contract("2.3")
def test_a_body_above_64_kib_is_refused(assert_each_refused):
    assert_each_refused(hostile_bodies.SIZES)


@pytest.mark.contract("2.5", "2.6", "2.8", "2.11", "5.2", "5.3", "5.6", "6.4", "6.5")
@pytest.mark.contract("10.4", "10.5", "15.5")
def test_a_wrong_value_is_refused_by_the_name_of_its_field(assert_each_refused):
    assert_each_refused(hostile_fields.FIELDS)


@pytest.mark.contract("8.16")
def test_an_invalid_slug_is_not_found(assert_each_refused):
    assert_each_refused(hostile_fields.UNKNOWN_SLUGS)


@pytest.mark.contract("3.1")
def test_an_unknown_path_is_not_found(assert_each_refused):
    assert_each_refused(hostile_urls.PATHS)


@pytest.mark.contract("2.7")
def test_an_invalid_query_string_is_refused(assert_each_refused):
    assert_each_refused(hostile_urls.QUERIES)


def test_an_invalid_token_is_refused_by_every_protected_endpoint(assert_each_refused):
    assert_each_refused(hostile_urls.UNAUTHENTICATED)


@pytest.mark.contract("3.4")
def test_another_method_is_refused_without_a_token_by_every_endpoint(send, alone):
    for name, cases in hostile_urls.NOT_ALLOWED:
        with alone(name):
            responses = assert_all_refused(cases, send)

            allowed = [response.headers["Allow"] for response in responses]
            assert allowed == [ALLOWED[case.path] for case in cases]


@pytest.mark.contract("3.4")
def test_head_is_refused_where_only_post_is_allowed(send, alone):
    for path in [path for path, allowed in ALLOWED.items() if allowed == "POST"]:
        with alone(path):
            response = send(Case("HEAD", path, 405, headers=()))

            assert response.status_code == 405
            assert response.headers["Allow"] == "POST"
            assert response.content == b""


@pytest.fixture
def cursor(send):
    """A cursor from `GET /skills?limit=1`."""
    SkillFactory(slug="another")
    following = send(Case("GET", f"{SKILLS}?limit=1", 200)).json()["next"]
    return unquote(following.partition("cursor=")[2].partition("&")[0])


def test_a_cursor_is_followed(cursor, send):
    response = send(Case("GET", f"{SKILLS}?limit=1&cursor={cursor}", 200))

    assert response.status_code == 200
    assert [skill["slug"] for skill in response.json()["results"]] == ["csv-tables"]


@pytest.mark.contract("1.9")
def test_a_cursor_with_any_character_changed_is_refused(cursor, send):
    changed = [
        cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        for place in range(len(cursor))
    ]

    assert_all_refused(
        [
            Case("GET", f"{SKILLS}?cursor={quote(text)}", 400, "cursor is invalid")
            for text in changed
        ],
        send,
    )


def test_a_cursor_of_another_list_is_refused(cursor, send):
    urls = [
        f"{SKILLS}?sort=name&cursor=",
        f"{SKILLS}?sort=newest&cursor=",
        f"{SKILLS}?q=skill&sort=downloads&cursor=",
        f"{SKILLS}?category=development&cursor=",
        f"{SKILLS}?tag=pdf&cursor=",
        f"{SKILLS}?runtime=python&cursor=",
        f"{SKILLS}?author=someone&cursor=",
        f"{SKILLS}?bundledIn=archivist&cursor=",
        f"{PERSONAS}?cursor=",
        f"{PERSONAS}?free=true&cursor=",
    ]
    assert_all_refused([Case("GET", url + cursor, 400, "cursor is invalid") for url in urls], send)


@pytest.mark.contract("8.3", "8.6")
def test_a_valid_read_that_looks_hostile_succeeds(send, alone):
    before = stored_rows()

    for name, cases in [*valid_edge_cases.SEARCHES, *valid_edge_cases.READING]:
        with alone(name):
            assert_all_accepted(cases, send)

    assert stored_rows() == before


@pytest.mark.contract("2.4", "2.11")
def test_a_valid_write_that_looks_hostile_succeeds(send, alone):
    for name, cases in valid_edge_cases.WRITING:
        with alone(name):
            assert_all_accepted(cases, send)

            profile = send(Case("GET", ME, 200)).json()
            assert (profile["handle"], profile["tier"]) == ("caller", "free")
            assert profile["scopes"] == ["read", "install", "review", "submit"]
            assert send(Case("GET", SKILL, 200)).json()["slug"] == "pdf-tables"


def assert_all_accepted(cases, send):
    for case, expected in cases:
        response = send(case)

        assert response.status_code == case.status, (case.path, response.content[:300])
        assert response.headers["Content-Type"] == "application/json"
        body = response.json()
        assert {name: body[name] for name in expected} == expected
