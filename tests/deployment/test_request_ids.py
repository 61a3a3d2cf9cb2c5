"""Each response and each log line names its request by an ID (X-Request-ID)."""

import json
import re

import pytest

from tests.factories import AgentFactory, SkillFactory

pytestmark = pytest.mark.both_modes

SKILLS, ME = "/api/v1/skills", "/api/v1/agents/me"
MADE = re.compile(r"[0-9a-f]{32}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UNREADABLE = b"GET / HTTP/9\r\n\r\n"


@pytest.fixture
def server(live_server_of):
    SkillFactory(slug="pdf")
    return live_server_of(LOG_FORMAT="json", WEB_CONCURRENCY="1")


def id_in(response):
    (request_id,) = response.headers.get_all("X-Request-ID")
    return request_id


def ids_in(raw):
    return re.findall(r"(?m)^X-Request-ID: (.*)\r$", raw.decode())


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *((SKILLS, 200), (f"{SKILLS}/pdf", 200), (f"{SKILLS}?foo=1", 400), (f"{SKILLS}/no", 404)),
        *((ME, 401), ("/", 200), ("/healthz", 200), ("/nowhere", 404), ("/static/icon.svg", 200)),
        *(("/admin/login/", 200), ("/mcp", 405)),
    ],
)
def test_each_response_has_its_own_id(server, path, status):
    responses = [server.request("GET", path) for _ in range(3)]

    assert [response.status for response in responses] == [status] * 3
    assert all(MADE.fullmatch(id_in(response)) for response in responses)
    assert len({id_in(response) for response in responses}) == 3


def test_a_304_has_one(server):
    etag = server.request("GET", SKILLS).headers["ETag"]

    response = server.request("GET", SKILLS, headers={"If-None-Match": etag})

    assert response.status == 304
    assert MADE.fullmatch(id_in(response))


def test_a_request_that_cannot_be_parsed_gets_one(server):
    first, second = ids_in(server.raw(UNREADABLE)), ids_in(server.raw(UNREADABLE))

    assert all(MADE.fullmatch(made) for made in first + second)
    assert len({*first, *second}) == 2


@pytest.mark.parametrize("path", [SKILLS, ME, "/nowhere"])
@pytest.mark.parametrize("sent", ["a", "A.b_c-9" * 9, "0123456789abcdef" * 2])
def test_the_clients_own_is_used(server, path, sent):
    for _ in range(2):
        assert id_in(server.request("GET", path, headers={"X-Request-ID": sent})) == sent


@pytest.mark.parametrize("sent", ["", "a" * 29 + "-" + "b" * 35, "a b", "a,b", "é", "z" * 32])
def test_another_one_is_replaced(server, sent):
    made = id_in(server.request("GET", SKILLS, headers={"X-Request-ID": sent.encode("latin-1")}))

    assert MADE.fullmatch(made)
    assert made != sent


def test_a_token_is_not_taken_for_an_id(server):
    token = AgentFactory().token.text

    response = server.request("GET", SKILLS, headers={"X-Request-ID": token})

    assert MADE.fullmatch(id_in(response))


def test_json_lines_have_the_id_and_are_masked(own_server_of):
    token = AgentFactory().token.text
    server = own_server_of(LOG_FORMAT="json", PGOPTIONS="-c default_transaction_read_only=on")
    sent = {"X-Request-ID": "the-client.s-own"}

    assert server.request("GET", f"/{token}?x=1", headers=sent).status == 404
    assert server.request("POST", "/api/v1/agents/register", headers=sent).status == 503
    server.raw(f"GET /{token} HTTP/9\r\n\r\n".encode())
    server.stop()

    text = server.log.read_text()
    assert token.rpartition("_")[2] not in text
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        assert TIME.fullmatch(line["time"]), line
        assert {"level", "logger", "message"} < line.keys()
    assert "Listening at" in "".join(line["message"] for line in lines)
    of_request = [line for line in lines if line.get("request_id") == "the-client.s-own"]
    # The line of the first response may come last: it is written once the client has all of it.
    [refused] = [line for line in of_request if line["logger"] == "django.request"]
    access, registered = sorted(
        (line for line in of_request if line is not refused), key=lambda line: line["method"]
    )
    assert access == access | {
        "logger": "gunicorn.access",
        "level": "INFO",
        "address": "127.0.0.1",
        "method": "GET",
        "path": "/mkt_agent_[masked]",
        "status": 404,
    }
    assert isinstance(access["bytes"], int)
    assert isinstance(access["milliseconds"], float)
    assert "InternalError 25006" in refused["message"]
    assert (registered["path"], registered["status"]) == ("/api/v1/agents/register", 503)
    # Between requests there is no ID.
    between = [line for line in lines if line["logger"] == "gunicorn.error"]
    assert not [line for line in between if "request_id" in line and line["level"] == "INFO"]


@pytest.mark.infrastructure
def test_an_unreadable_request_has_one_id_in_its_response_and_its_line(own_server_of):
    server = own_server_of(LOG_FORMAT="json")

    unreadable = server.raw(b"GET / HTTP/9\r\n\r\n")
    server.stop()

    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert [line["level"] for line in lines if line.get("request_id") in ids_in(unreadable)] == [
        "WARNING"
    ]


def test_lines_of_text_have_the_id_too(own_server_of):
    server = own_server_of()

    server.request("GET", "/nowhere", headers={"X-Request-ID": "text.1"})
    server.stop()

    assert 'gunicorn.access [text.1]: 127.0.0.1 "GET /nowhere" 404' in server.log.read_text()
