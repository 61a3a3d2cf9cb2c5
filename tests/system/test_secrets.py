"""Tokens and keys stay secret: after every right and wrong use, none appears anywhere."""

import re
import subprocess
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest
from django.contrib.sessions.models import Session
from django.db import connection

from agents.models import Agent
from agents.tokens import is_well_formed, mint_invitation, mint_key
from demo.postgres import find_binaries
from tests import imports
from tests.factories import PersonaFactory, PersonaInstallFactory, SkillFactory
from tests.live import url_of_test_database
from tests.system import invitation_secrets, operator_secrets
from tests.system import misplaced_secrets as misplaced
from tests.system.operator_secrets import TOKEN
from tests.system.scale import UNLIMITED
from tests.system.secret_scan import leaks
from tests.system.staff import Staff

AGENTS = "/admin/agents/agent/"
TOKENS = "/admin/agents/agenttoken/"
KEYS = "/admin/agents/operatorkey/"
INVITATIONS = "/admin/agents/invitation/"
LEAVING = ("update", "uninstall")
SWITCHING = ("activate", "deactivate", *LEAVING)


def as_text(response):
    return "\n".join([str(response.headers), response.body.decode(errors="replace")])


@dataclass
class Scene:
    """Everything that happened on a live server: its issued secrets, and its error responses."""

    server: object
    staff: Staff
    secrets: dict = field(default_factory=dict)
    claim_secrets: dict = field(default_factory=dict)
    errors: list = field(default_factory=list)  # (the request, the response as text)
    operator_pages: list = field(default_factory=list)  # (the path, the page for an operator)

    def send(self, method, path, body=None, **options):
        response = self.server.request(method, path, body, **options)
        assert response.status < 500, (path, response.body)
        if response.status >= 400 or path == "/mcp":  # which reports some errors under 200
            self.errors.append((f"{method} {path} {body} {options}", as_text(response)))
        return response

    def register(self, handle, **fields):
        response = self.send(
            "POST", f"{misplaced.API}/agents/register", {"handle": handle} | fields
        )
        registered = response.json()
        self.secrets[f"token of {handle}"] = registered["token"]
        self.claim_secrets[f"claim of {handle}"] = registered["claim"]["claimUrl"].split("/")[-1]
        return registered["token"]

    def all_tokens(self):
        return [secret for name, secret in self.secrets.items() if name.startswith("token of")]


def use_rightly(scene):
    token = scene.register("user", name="The User")
    SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="archivist")
    me = misplaced.ME
    for method, path, body in [
        ("GET", me, None),
        ("PATCH", me, {"description": "Useful."}),
        ("POST", f"{me}/skills/install", {"slug": "pdf-tables", "runtime": "python"}),
        ("POST", f"{me}/personas/install", {"slug": "archivist", "setActive": True}),
        ("POST", f"{me}/reviews", {"personaSlug": "archivist", "rating": 5, "comment": "Good."}),
        *(("POST", f"{me}/personas/{verb}", {"slug": "archivist"}) for verb in SWITCHING),
        *(("POST", f"{me}/skills/{verb}", {"slug": "pdf-tables"}) for verb in LEAVING),
        *(("GET", f"{me}/{what}", None) for what in ("manifest", "limits", "skills", "reviews")),
        ("GET", f"{misplaced.API}/personas/archivist/reviews", None),
        ("DELETE", f"{me}/reviews/archivist", None),
        ("POST", f"{me}/reports", {"kind": "skill", "slug": "pdf-tables", "reason": "broken"}),
    ]:
        assert scene.send(method, path, body, token=token).status in {200, 201}


def use_wrongly(scene):
    claim = scene.claim_secrets["claim of user"]
    invitation = scene.secrets["invitation of the command"]
    for secret in (scene.register("mistaken"), scene.secrets["operator key"], invitation):
        misplace(scene, secret, claim)
    key = scene.secrets["operator key"]
    scene.send("POST", "/admin/login/", f"username={key}&password={key}")


def misplace(scene, token, claim):
    def send(method, path, body=None, **headers):
        path = misplaced.filled(path, quote(token), claim)
        body = body and misplaced.filled(body, token, claim)
        scene.send(method, path, body, headers=misplaced.filled(headers, token, claim))

    for path in misplaced.IN_THE_URL:
        send("GET", path)
        send("DELETE", path)
        send("POST", path, "{}", **misplaced.JSON, **misplaced.BEARER)
    for path, body in misplaced.IN_A_BODY:
        send("POST", path, body, **misplaced.JSON, **misplaced.BEARER)
        send("POST", path, body, **misplaced.JSON)
    for headers in misplaced.IN_A_HEADER:
        for path in (
            f"{misplaced.API}/skills",
            misplaced.ME,
            f"/claim/{claim}",
            "/admin/",
        ):
            send("GET", path, **headers)
            send("POST", path, "{}", **headers)
    for request in misplaced.UNREADABLE:
        sent = misplaced.filled(request, token, claim)
        raw = scene.server.raw(f"{sent}\r\n\r\n".encode("latin-1")).decode()
        assert re.match(r"HTTP/1.1 4\d\d", raw), (sent, raw)
        scene.errors.append((sent, raw))
    send("POST", "/admin/login/", f"username={token}&password={token}")


def issue(scene):
    """Issue one token in the admin, and one by the command."""
    agent = Agent.objects.get(handle="user")
    page = scene.staff.post(
        AGENTS,
        {
            "action": "issue_token",
            "_selected_action": agent.pk,
            "csrfmiddlewaretoken": scene.staff.form(scene.staff.get(AGENTS))["csrfmiddlewaretoken"],
        },
    )
    led = scene.staff.post(AGENTS, scene.staff.form(page) | {"issue": "1", "scopes": ["read"]})
    page = scene.staff.shown_once(led)
    (scene.secrets["token of the admin"],) = TOKEN.findall(page.body.decode())
    printed = imports.manage("issue_token", "user")
    assert printed.stderr == ""
    scene.secrets["token of the command"] = printed.stdout.strip()
    for token in scene.all_tokens():
        assert is_well_formed(token)
        assert scene.send("GET", misplaced.ME, token=token).status == 200


def manage(scene):
    """Create, rotate, list and revoke tokens over the API, and report one as leaked."""
    tokens, user = f"{misplaced.ME}/tokens", scene.secrets["token of user"]
    created = scene.send("POST", tokens, {"name": "laptop"}, token=user)
    scene.secrets["created token"] = first = created.json()["token"]
    rotated = scene.send("POST", f"{tokens}/rotate", {"graceSeconds": 600}, token=first)
    scene.secrets["rotated token"] = rotated.json()["token"]
    listed = scene.send("GET", tokens, token=user)
    revoked = scene.send("DELETE", f"{tokens}/{rotated.json()['tokenId']}", token=user)
    reported = scene.send("POST", f"{misplaced.API}/tokens/revoke", {"token": first})
    assert [response.status for response in (listed, revoked, reported)] == [200] * 3
    for response in (listed, revoked, reported):
        assert leaks(scene.secrets, as_text(response)) == []
    for name in ("created token", "rotated token"):
        assert scene.send("GET", misplaced.ME, token=scene.secrets[name]).status == 401


def paste(scene, path, secret):
    """Paste a token or key into the search box of a list."""
    page = scene.staff.get(path)
    cookie = scene.staff.form(page)["csrfmiddlewaretoken"]
    return scene.staff.post(f"{path}find/", {"q": secret, "csrfmiddlewaretoken": cookie})


def dump_of_the_database():
    """Every row of every table, with sessions decoded."""
    dumped = subprocess.run(
        [find_binaries() / "pg_dump", "--data-only", "--dbname", url_of_test_database()],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    sessions = [str(session.get_decoded()) for session in Session.objects.all()]
    return "\n".join([dumped, *sessions])


def log_of_the_database():
    """The log of the embedded server, with failed statements; empty for another server."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        path = Path(cursor.fetchone()[0]) / "server.log"
    return path.read_text() if path.exists() else ""


@pytest.fixture
def scene(own_server_of):
    server = own_server_of(**UNLIMITED)
    scene = Scene(server, Staff(server))
    use_rightly(scene)
    operator_secrets.claim(scene)
    invitation_secrets.use(scene)
    use_wrongly(scene)
    issue(scene)
    operator_secrets.use_wrongly(scene, operator_secrets.operate(scene))
    manage(scene)
    invitation_secrets.revoke(scene)
    return scene


@pytest.mark.contract("3.7", "4.9", "26.2")
@pytest.mark.slow
def test_no_secret_leaks_after_any_use_of_it(scene, subtests):
    secrets, lost = scene.secrets | scene.claim_secrets, scene.secrets["token of user"]
    pages = scene.staff.open_everything("user", "mkt_agent", "mkt_operator", "mkt_invite")
    found_by_post = {
        "agenttoken": paste(scene, TOKENS, lost),
        "operatorkey": paste(scene, KEYS, scene.secrets["operator key"]),
        "invitation": paste(scene, INVITATIONS, scene.secrets["invitation of the command"]),
    }
    scene.server.stop()
    log = scene.server.log.read_text().splitlines()
    print(  # noqa: T201
        f"\n{len(secrets)} secrets searched for in {len(scene.errors)} errors, {len(pages)} pages "
        f"of the admin and {len(scene.operator_pages)} of operators, {len(log)} lines of the log "
        "and the database"
    )

    with subtests.test("the database"):
        dump = dump_of_the_database()
        assert "Ada Lovelace" in dump
        for secret in scene.claim_secrets.values():
            # Stored as text in one column, because the profile shows the claim URL.
            assert dump.count(secret) == 1
            dump = dump.replace(secret, "")
        assert leaks(secrets, dump) == []
        assert leaks(secrets, log_of_the_database()) == []
    with subtests.test("the log"):
        assert sum(" gunicorn.access [" in line for line in log) > 300
        assert [line for line in log if leaks(secrets, line)] == []
    with subtests.test("the admin"):
        assert_nothing_leaks(secrets, pages, found_by_post)
    with subtests.test("the console and the claim page"):
        assert len(scene.operator_pages) > 100
        assert [
            path for path, page in scene.operator_pages if leaks(secrets, page.body.decode())
        ] == []
    with subtests.test("error responses"):
        assert [request[:120] for request, text in scene.errors if leaks(secrets, text)] == []


def assert_nothing_leaks(secrets, pages, found_by_post):
    """Neither the admin's pages nor its response to a pasted secret hold one."""
    assert [path for path, page in pages.items() if page.status != 200] == []
    assert [path for path, page in pages.items() if leaks(secrets, as_text(page))] == []
    for model, page in found_by_post.items():
        assert page.status == 302
        assert leaks(secrets, as_text(page)) == []
        assert re.search(rf"/{model}/\d+/change/$", page.headers["Location"])


REPORT = {"kind": "skill", "slug": "pdf-tables", "reason": "spam"}
KEPT_FIELDS = [
    ("POST", "/agents/register", "name", {}),  # which would become part of the handle
    ("PATCH", "/agents/me", "name", {}),
    ("PATCH", "/agents/me", "description", {}),
    ("PATCH", "/agents/me", "runtime", {}),
    ("POST", "/agents/me/tokens", "name", {}),
    ("POST", "/agents/me/reviews", "comment", {"personaSlug": "archivist", "rating": 5}),
    ("POST", "/agents/me/reports", "comment", REPORT),
]


@pytest.mark.contract("2.12", "26.2")
def test_a_token_or_key_is_refused_in_a_stored_text(live_server_of):
    server = live_server_of()
    scene = Scene(server, staff=None)
    token = scene.register("careless")
    scene.secrets |= {"operator key": mint_key(), "invitation": mint_invitation()}
    SkillFactory(slug="pdf-tables")
    PersonaInstallFactory(agent=Agent.objects.get(), persona__slug="archivist")
    for (method, path, name, others), secret in product(KEPT_FIELDS, scene.secrets.values()):
        body = {**others, name: f"My token is {secret}."}
        response = scene.send(method, misplaced.API + path, body, token=token)
        assert (response.status, response.json()) == (
            400,
            {"error": f"{name} must not hold a token"},
        )
    assert leaks(scene.secrets, dump_of_the_database()) == []
    assert leaks(scene.secrets, server.log.read_text()) == []
