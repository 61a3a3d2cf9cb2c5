"""Errors of the layers around the API (contract 3)."""

import psycopg
import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import DataError, InterfaceError, OperationalError, ProgrammingError, connection
from django.http import Http404
from django.test import Client
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import OutOfMemoryError

from catalogue.views import SkillViewSet
from infrastructure.server.headers import WARNING as SLOW_COOKIES
from tests.api.test_errors import assert_error
from tests.factories import AgentFactory, PersonaFactory, SkillFactory

SKILLS = "/api/v1/skills"
SKILL = "/api/v1/skills/pdf-tables"
PERSONAS = "/api/v1/personas"
PERSONA = "/api/v1/personas/archivist"
REGISTER = "/api/v1/agents/register"
ME = "/api/v1/agents/me"
REVIEWS = "/api/v1/agents/me/reviews"
NO_PATH = "Not found: the API has no such path"
WRONG_HOST = "Bad request: the Host header or the URL is not acceptable"
CRASH = "Internal server error"
AWAY = "Service temporarily unavailable. Try again in a few seconds."


@pytest.fixture
def list_view_does(monkeypatch):
    """Replace the handler of `GET /skills`."""

    def list_view_does(act):
        monkeypatch.setattr("search.reads.skills.page", lambda *_: act())

    return list_view_does


@pytest.fixture
def list_view_raises(list_view_does):
    def list_view_raises(error):
        def act():
            raise error

        list_view_does(act)

    return list_view_raises


@pytest.mark.contract("3.1")
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "path", ["/api/v1/nowhere", "/api", "/nowhere", "/favicon.ico", "/static/x"]
)
def test_an_unknown_route_is_a_404_inside_and_outside_the_api(anyone, method, path):
    assert_error(anyone.generic(method, path), 404, NO_PATH)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (
            "multipart/form-data; boundary=X",
            (
                b'--X\r\nContent-Disposition: form-data; name="f"; filename="b"\r\n'
                b"Content-Transfer-Encoding: base64\r\n\r\n!!!!!\r\n--X--\r\n"
            ),
        ),
        ("application/x-www-form-urlencoded", b"&".join([b"a=b"] * 1001)),
        ("multipart/form-data", b"--X"),
    ],
)
def test_a_form_that_cannot_be_read_is_not_read_for_an_error(content_type, body):
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.cookies["csrftoken"] = "a" * 32

    def post(path, **options):
        return browser.post(path, body, content_type=content_type, **options)

    assert_error(post("/api/v1/nowhere"), 404, NO_PATH)
    assert_error(post("/nowhere", headers={"Host": "evil.example"}), 400, WRONG_HOST)


@pytest.mark.contract("3.1")
@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "a b", "[::1", "x:y"])
@pytest.mark.parametrize("path", [SKILLS, ME, "/api/v1/nowhere", "/nowhere"])
def test_a_wrong_host_is_a_400(anyone, host, path):
    response = anyone.get(path, headers={"Host": host})

    assert_error(response, 400, WRONG_HOST)


@pytest.mark.contract("3.1")
@pytest.mark.parametrize("accept", ["application/json", "text/html", "*/*"])
def test_a_crash_is_a_500_without_details(anyone, list_view_raises, accept):
    list_view_raises(RuntimeError("the secret detail"))

    response = anyone.get(SKILLS, headers={"Accept": accept})

    assert_error(response, 500, CRASH)


def test_a_crash_before_the_view_is_a_500_too(client, monkeypatch):
    def authenticate(*_, **__):
        raise RuntimeError("the secret detail")

    monkeypatch.setattr("agents.authentication.AgentToken.objects.authenticate", authenticate)

    assert_error(client.get(ME), 500, CRASH)


def test_a_crash_after_the_view_is_a_500_too(anyone, monkeypatch):
    def dumps(_):
        raise RuntimeError("the secret detail")

    monkeypatch.setattr("marketplace.api.renderers.orjson.dumps", dumps)

    assert_error(anyone.get(SKILLS), 500, CRASH)


@pytest.mark.contract("3.1")
@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (PermissionDenied("the secret detail"), 403, "Forbidden"),
        (Http404("the secret detail"), 404, "Not Found"),
        (SuspiciousOperation("the secret detail"), 400, WRONG_HOST),
    ],
)
def test_errors_of_django_itself_are_json(anyone, monkeypatch, error, status, text):
    def retrieve(*_, **__):
        raise error

    monkeypatch.setattr(SkillViewSet, "retrieve", retrieve)

    assert_error(anyone.get(SKILL), status, text)


@pytest.mark.contract("3.8")
@pytest.mark.parametrize(
    ("sqlstate", "status"),
    [
        *(("08006", 503), ("40001", 503), ("40P01", 503), ("53300", 503), ("55P03", 503)),
        *(("57014", 503), ("57P01", 503), ("57P03", 503)),
        *(("22P05", 500), ("22003", 500), ("23505", 500), ("25P02", 500), ("42P01", 500)),
        *(("XX000", 500), ("P0001", 500)),
    ],
)
def test_the_sqlstate_decides_between_500_and_503(anyone, list_view_does, sqlstate, status):
    def raise_it():
        with connection.cursor() as cursor:
            cursor.execute(f"DO $$ BEGIN RAISE 'secret' USING ERRCODE = '{sqlstate}'; END $$")

    list_view_does(raise_it)

    response = anyone.get(SKILLS)

    assert_error(response, status, AWAY if status == 503 else CRASH)
    assert response.headers.get("Retry-After") == ("2" if status == 503 else None)


@pytest.mark.django_db(transaction=True)
def test_a_server_that_writes_no_more_is_a_503_and_then_left(anyone):
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")

    assert_error(anyone.post(REGISTER), 503, AWAY)
    assert anyone.post(REGISTER).status_code == 201


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("connection refused"), 503),
        (caused(OperationalError(), psycopg.OperationalError("connection refused")), 503),
        (InterfaceError("the connection is closed"), 503),
        (RedisConnectionError("connection refused"), 503),
        (OutOfMemoryError("command not allowed when used memory > 'maxmemory'"), 503),
        (DataError("a text with NUL"), 500),
        (caused(DataError(), psycopg.DataError("a text with NUL")), 500),
        (caused(ProgrammingError(), psycopg.ProgrammingError("no such adapter")), 500),
        (OSError("the disk is full"), 500),
    ],
    ids=repr,
)
def test_without_an_sqlstate_the_class_of_the_error_decides(
    anyone, list_view_raises, error, status
):
    list_view_raises(error)

    response = anyone.get(SKILLS)

    assert_error(response, status, AWAY if status == 503 else CRASH)
    assert ("Retry-After" in response.headers) == (status == 503)


@pytest.mark.contract("3.8")
def test_an_unreachable_database_is_a_503_during_authentication(client, monkeypatch):
    def authenticate(*_, **__):
        raise OperationalError("connection refused")

    monkeypatch.setattr("agents.authentication.AgentToken.objects.authenticate", authenticate)

    response = client.post(REVIEWS, {"personaSlug": "archivist", "rating": 5})

    assert_error(response, 503, AWAY)
    assert response.headers["Retry-After"] == "2"


@pytest.mark.contract("1.6")
@pytest.mark.parametrize(
    "accept", ["text/html", "application/xml;q=1", "image/*", "*/*;q=0", "\xff"]
)
def test_the_response_is_json_whatever_is_accepted(client, accept):
    SkillFactory(slug="pdf-tables")
    headers = {"Accept": accept}

    for url, status in ((SKILLS, 200), (SKILL, 200), (ME, 200), (f"{SKILLS}/none", 404)):
        response = client.get(url, headers=headers)

        assert response.status_code == status
        assert response.headers["Content-Type"] == "application/json"
        assert response.json()
    for path in ("/api/v1/nowhere", "/api", "/git/nowhere", "/skills/a/.well-known/none"):
        assert_error(client.get(path, headers=headers), 404, NO_PATH)
    assert client.post(REGISTER, headers=headers).status_code == 201


@pytest.mark.both_modes
@pytest.mark.contract("1.3")
def test_head_has_the_status_and_headers_of_get_and_no_body(own_server_of):
    SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="archivist")
    token = AgentFactory().token.text
    server = own_server_of()
    paths = {SKILLS: 200, SKILL: 200, PERSONAS: 200, PERSONA: 200, ME: 200, f"{SKILLS}/none": 404}

    for path, status in (paths | {"/healthz": 200, "/readyz": 200, "/nowhere": 404}).items():
        got = server.request("GET", path, token=token)
        raw = server.raw(
            f"HEAD {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n"
            f"Authorization: Bearer {token}\r\n\r\n".encode()
        )
        head, _, body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)

        assert first.split()[1] == str(status) == str(got.status), path
        assert body == b"", path
        assert without_hops(headers) == without_hops(dict(got.headers)), path
        assert ("ETag" in headers) == (status == 200 and path not in {ME, "/healthz", "/readyz"})
    server.stop()
    # Whether it says so depends on the Python of this machine.
    log = server.log.read_text().replace(f" WARNING gunicorn.error: {SLOW_COOKIES}", "")
    assert " WARNING " not in log


def without_hops(headers):
    own = {"Date", "Connection", "Transfer-Encoding", "X-Request-ID"}
    return {k: v for k, v in headers.items() if k not in own}
