"""HTTP below the application: gunicorn, and trusted forwarded headers."""

import json
import re

import pytest

from agents.models import Agent
from tests.deployment.protocol_cases import CHUNKED, POST, REFUSED, SMUGGLED, UNREADABLE, chunks
from tests.deployment.raw_http import GET, responses_to
from tests.factories import AgentFactory, SkillFactory
from tests.live import LiveServer
from tests.processes import is_within

pytestmark = [
    pytest.mark.servers,
    pytest.mark.both_modes,
    pytest.mark.django_db(transaction=True),
]

SKILLS = "/api/v1/skills"
ME = "/api/v1/agents/me"
REGISTER = "/api/v1/agents/register"


def responses_in(raw):
    """`(status, headers, body)` of each response; bodies are measured by Content-Length."""
    responses = []
    while raw:
        head, _, rest = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        length = int(headers["Content-Length"])
        assert len(rest) >= length
        responses.append((int(first.split()[1]), headers, rest[:length]))
        raw = rest[length:]
    return responses


def assert_one_json_error(raw, status):
    ((got, headers, body),) = responses_in(raw)
    assert got == status, body
    assert headers["Content-Type"] == "application/json"
    assert headers["Cache-Control"] == "no-store"
    ((key, error),) = json.loads(body).items()
    assert key == "error"
    assert isinstance(error, str)
    assert error.strip()


def registered(raw):
    ((status, _, body),) = responses_in(raw)
    assert status == 201, body
    return json.loads(body)


@pytest.fixture(scope="module")
def server(django_db_setup, tmp_path_factory):
    """One server with the default configuration, for all tests here that do not need another."""
    limits = {"RATE_LIMIT_REGISTER": "1000/365d"}
    with LiveServer(tmp_path_factory.mktemp("server") / "log", limits) as server:
        yield server


@pytest.mark.contract("3.1")
def test_a_request_unreadable_for_gunicorn_is_refused_in_json(server, subtests):
    for name, (status, request) in UNREADABLE.items():
        with subtests.test(name):
            assert_one_json_error(server.raw(request), status)
    assert not Agent.objects.exists()


@pytest.mark.contract("24.8")
def test_a_request_unreadable_for_django_is_refused_in_json(server, subtests):
    for name, (status, request) in REFUSED.items():
        with subtests.test(name):
            assert_one_json_error(server.raw(request), status)


def test_a_request_is_one_line_of_the_log_whatever_its_path_says(server):
    said = ': 127.0.0.1 "GET /claim/[masked]%0A127.0.0.1%20%22DELETE" 404'
    line = re.compile(
        rf"INFO gunicorn.access \[\w+\]{re.escape(said)} [0-9]+ [0-9]+ms$", re.MULTILINE
    )

    server.request("GET", "/claim/none%0A127.0.0.1%20%22DELETE?code=BCDFGHJK")
    # gunicorn logs a request after the response.
    assert is_within(30, lambda: line.search(server.log.read_text()))

    log = server.log.read_text()
    assert len(line.findall(log)) == 1
    assert not [line for line in log.splitlines() if line.startswith("127.0.0.1")]


def test_requests_are_not_logged_unless_configured(tmp_path):
    # gunicorn logs them itself, whatever the application is.
    quiet = {"ACCESS_LOG": "false"}
    with LiveServer(tmp_path / "log", quiet, "tests.wsgi_apps:minimal") as server:
        assert server.request("GET", "/api/v1/skills").status == 200

    assert "gunicorn.access" not in server.log.read_text()


def test_the_authority_of_an_absolute_target_stands_for_the_host(server):
    SkillFactory.create_batch(2)
    target = f"http://localhost:{server.port}/api/v1/skills?limit=1"

    raw = server.raw(f"GET {target} HTTP/1.1\r\nHost: evil.example\r\n\r\n".encode())

    ((status, _, body),) = responses_in(raw)
    assert status == 200
    assert json.loads(body)["next"].startswith(target)


@pytest.mark.contract("24.7")
def test_http_1_0_needs_no_host_to_ask_for_health(server):
    head, _, body = server.raw(b"GET /readyz HTTP/1.0\r\n\r\n").partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"\r\nCache-Control: no-store\r\n" in head
    assert json.loads(body) == {"status": "ok"}


@pytest.mark.parametrize(
    ("fields", "closes"),
    [
        (b"Connection: close, TE\r\n", True),
        (b"Connection: TE,Close\r\n", True),
        (b"Connection: TE\r\nConnection: close\r\n", True),
        (b"Connection: keep-alive, TE\r\n", False),
        (b"Connection: closed\r\n", False),
    ],
)
def test_a_connection_is_closed_where_any_of_its_options_says_so(server, fields, closes):
    with server.connect() as link:
        _, is_last = responses_to(link, GET.replace(b"\r\n\r\n", b"\r\n" + fields + b"\r\n"))

    assert is_last == closes


def test_a_chunked_body_is_read(server):
    raw = server.raw(POST + CHUNKED + b"\r\n" + chunks(b'{"name": "Chu', b'nky"}'))

    agent = registered(raw)
    assert (agent["name"], agent["handle"]) == ("Chunky", "chunky")
    assert Agent.objects.get().name == "Chunky"


@pytest.mark.contract("2.3")
def test_a_chunked_body_of_exactly_64_kib_is_read(server):
    body = b'{"name": "Whole"}'.ljust(65_536)

    raw = server.raw(POST + CHUNKED + b"\r\n" + chunks(body[:100], body[100:]))

    assert registered(raw)["name"] == "Whole"


def test_a_chunked_body_without_chunks_is_empty(server):
    assert registered(server.raw(POST + CHUNKED + b"\r\n" + chunks()))["name"] == ""


def test_expect_100_continue_is_answered(server):
    raw = server.raw(POST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}")

    interim, _, final = raw.partition(b"\r\n\r\n")
    assert interim == b"HTTP/1.1 100 Continue"
    assert registered(final)["name"] == ""


def test_the_rest_of_a_refused_body_is_not_read_as_a_request(server, subtests):
    for name, (status, request) in SMUGGLED.items():
        with subtests.test(name):
            assert_one_json_error(server.raw(request), status)
    assert not Agent.objects.exists()


@pytest.mark.parametrize(
    "request_",
    [
        POST + b"Content-Length: 20\r\n\r\n",
        POST + b"Content-Length: 20\r\n\r\n{}",
        POST + CHUNKED + b"\r\n",
        POST + CHUNKED + b"\r\n2\r\n{}\r\n",
    ],
    ids=["before it begins", "where it could end", "before the first chunk", "before the last"],
)
def test_a_body_that_is_cut_off_registers_nobody(server, request_):
    server.raw(request_)

    assert not Agent.objects.exists()


@pytest.mark.contract("24.4")
def test_no_forwarded_header_is_believed(server, subtests):
    for header in (
        *("X-Forwarded-Proto: https", "X-Forwarded-Ssl: on", "X-Forwarded-Protocol: ssl"),
        *("Forwarded: proto=https;host=evil.example", "X-Forwarded-Host: evil.example"),
        *("SCRIPT_NAME: /evil", "Script-Name: /evil", "PATH_INFO: /evil", "X-Original-Url: /evil"),
        *("X_Forwarded_Proto: https", "REMOTE_USER: admin", "X-Forwarded-Prefix: /evil"),
    ):
        with subtests.test(header):
            request = POST + header.encode() + b"\r\nContent-Length: 2\r\n\r\n{}"
            claim_url = registered(server.raw(request))["claim"]["claimUrl"]
            assert re.fullmatch(r"http://localhost/claim/[0-9A-Za-z]{32}", claim_url)


def test_no_forwarded_address_is_believed(server):
    assert [left_after_registering_from(server, number) for number in (1, 2, 3)] == [999, 998, 997]


def left_after_registering_from(server, number, **headers):
    """The remaining limit of registrations, according to the response."""
    headers |= {"X-Forwarded-For": f"192.0.2.{number}", "X-Real-Ip": f"192.0.2.{number}"}
    response = server.request("POST", REGISTER, {}, headers=headers)
    assert response.status == 201
    return int(re.search(r";r=(\d+);", response.headers["RateLimit"])[1])


@pytest.mark.contract("24.5")
def test_with_https_required_and_no_trusted_proxy(live_server_of, subtests):
    agent = AgentFactory()
    server = live_server_of(REQUIRE_HTTPS="true")

    for method, path, body in (
        *(("GET", SKILLS, None), ("HEAD", SKILLS, None), ("GET", "/api/v1/nowhere", None)),
        *(("GET", ME, None), ("PATCH", ME, {"name": "Plain"}), ("POST", REGISTER, {})),
        *(("DELETE", ME, None), ("GET", "/api", None)),
    ):
        for headers in ({}, {"X-Forwarded-Proto": "https", "X-Forwarded-Ssl": "on"}):
            with subtests.test(f"{method} {path} {headers} is refused, never redirected"):
                response = server.request(
                    method, path, body, token=agent.token.text, headers=headers
                )
                assert response.status == 403
                assert "Location" not in response.headers
                assert response.headers["Content-Type"] == "application/json"
                if method != "HEAD":
                    assert response.json() == {"error": "HTTPS is required"}
    with subtests.test("and does nothing"):
        assert Agent.objects.get().name == agent.name

    for path in ("/healthz", "/readyz", "/healthz/", "/readyz/"):
        with subtests.test(f"{path} answers over plain HTTP on any host"):
            response = server.request("GET", path, headers={"Host": "10.1.2.3"})
            assert (response.status, response.json()) == (200, {"status": "ok"})
    for path in ("/admin/", "/admin/login/?next=/admin/", "/claim/" + "x" * 32):
        with subtests.test(f"{path} is redirected"):
            response = server.request("GET", path)
            assert response.status == 301
            assert response.headers["Location"] == f"https://127.0.0.1:{server.port}{path}"
            assert "Set-Cookie" not in response.headers


@pytest.mark.contract("24.4")
def test_with_https_required_behind_one_trusted_proxy(live_server_of, subtests):
    SkillFactory.create_batch(2)
    token = AgentFactory().token.text
    server = live_server_of(
        REQUIRE_HTTPS="true", TRUSTED_PROXY_COUNT="1", RATE_LIMIT_REGISTER="1000/365d"
    )
    secure = {"X-Forwarded-Proto": "https", "Host": "localhost"}

    for headers in ({}, {"X-Forwarded-Proto": "http"}, {"X-Forwarded-Ssl": "on"}):
        with subtests.test(f"a request with {headers} is refused"):
            response = server.request("GET", SKILLS, headers=headers)
            assert (response.status, response.json()) == (403, {"error": "HTTPS is required"})

    with subtests.test("the links of a list are https"):
        page = server.request("GET", f"{SKILLS}?limit=1", headers=secure)
        assert page.status == 200
        assert page.json()["next"].startswith("https://localhost/api/v1/skills?")
        path = page.json()["next"].removeprefix("https://localhost")
        following = server.request("GET", path, headers=secure).json()
        assert following["previous"].startswith("https://localhost/api/v1/skills?")
    with subtests.test("the claim URL is https"):
        url = re.compile(r"https://localhost/claim/[0-9A-Za-z]{32}")
        agent = server.request("POST", REGISTER, {}, headers=secure).json()
        assert url.fullmatch(agent["claim"]["claimUrl"])
        profile = server.request("GET", ME, token=token, headers=secure).json()
        assert url.fullmatch(profile["claim"]["claimUrl"])
    with subtests.test("browsers are told to stay with https"):
        page = server.request("GET", SKILLS, headers=secure)
        assert page.headers["Strict-Transport-Security"].startswith("max-age=31536000")
    with subtests.test("the path and the host are still the request's own"):
        evil = {"X-Forwarded-Host": "evil.example", "SCRIPT_NAME": "/evil", "Script-Name": "/evil"}
        page = server.request("GET", f"{SKILLS}?limit=1", headers=secure | evil)
        assert page.json()["next"].startswith("https://localhost/api/v1/skills?")
    with subtests.test("each forwarded address has a rate limit of its own"):
        left = [left_after_registering_from(server, number, **secure) for number in (7, 7, 8)]
        assert left == [999, 998, 999]
    with subtests.test("a page for people is served and not redirected"):
        response = server.request("GET", "/admin/login/", headers=secure)
        assert response.status == 200
        assert response.headers["Content-Type"].startswith("text/html")
