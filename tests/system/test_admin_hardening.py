"""The admin and the claim page in production: cookies, HTTPS, CSP, escaping, limits."""

import re
from collections import Counter
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from types import SimpleNamespace
from urllib.parse import quote, urlencode

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.utils import timezone

from agents.models import OperatorClaim
from catalogue.models import Skill
from marketplace.middleware.security import ContentSecurityPolicyMiddleware
from reviews.models import Review
from tests.factories import (
    ABOUT,
    ABOUT_SKILL,
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.system.scale import scale
from tests.system.staff import Browser, Staff

pytestmark = pytest.mark.servers

HTTPS = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
HSTS = "max-age=31536000; includeSubDomains; preload"
ADDRESSES = {"href", "src", "action", "formaction", "data"}
FORM = "application/x-www-form-urlencoded"
LARGE = b"x" * 3 * 10**6
SKILL = "/admin/catalogue/skill/"
REGISTER = "/api/v1/agents/register"
SKILLS_TO_BUNDLE = {
    "app_label": "catalogue",
    "model_name": "persona",
    "field_name": "skills",
    "term": "alert",
}
XSS = "<script>alert(1)</script>"
HOSTILE = f"javascript:alert(1) {XSS}"  # 45 characters


@pytest.fixture
def production(live_server_of):
    """The environment of test_protocol, so that both share a server."""
    return live_server_of(
        REQUIRE_HTTPS="true", TRUSTED_PROXY_COUNT="1", RATE_LIMIT_REGISTER="1000/365d"
    )


def cookies_of(response):
    cookies = {}
    for line in response.headers.get_all("Set-Cookie") or []:
        cookies.update(SimpleCookie(line))
    return cookies


def test_cookies_are_sent_over_https_only(production):
    agent = AgentFactory()
    Staff(production)
    # The server hashes passwords as in production, unlike the tests.
    hashed = PBKDF2PasswordHasher().encode("right-password", "salt")
    User.objects.update(password=hashed)
    operator, person = Browser(production, HTTPS), Browser(production, HTTPS)

    page = operator.get(f"/claim/{agent.claim.secret}")
    login = person.get("/admin/login/")
    fields = person.form(login) | {"username": "staff", "password": "right-password"}
    person.headers = HTTPS | {"Referer": f"https://127.0.0.1:{production.port}/admin/login/"}
    entered = person.post("/admin/login/", fields)

    assert (entered.status, entered.headers["Location"]) == (302, "/admin/")
    session = cookies_of(entered)["staff"]
    assert (session["secure"], session["httponly"], session["samesite"]) == (True, True, "Strict")
    assert (session["path"], session["max-age"]) == ("/admin/", "43200")
    for response in (page, login, entered):
        assert cookies_of(response)["csrftoken"]["secure"]
        assert all(cookie["secure"] for cookie in cookies_of(response).values())


def test_every_response_over_https_sets_hsts(production, subtests):
    agent = AgentFactory()
    for path, status in {
        "/admin/": 302,
        "/admin/login/": 200,
        "/admin/nowhere": 302,
        f"/claim/{agent.claim.secret}": 200,
        "/claim/unknown": 404,
        "/static/pages.css": 200,
        "/api/v1/skills": 200,
        "/api/v1/agents/me": 401,
        "/api/v1/nowhere": 404,
    }.items():
        with subtests.test(path):
            response = production.request("GET", path, headers=HTTPS)
            assert response.status == status
            assert response.headers["Strict-Transport-Security"] == HSTS


def hostile(about):
    texts = {name: [HOSTILE, XSS] if isinstance(about[name], list) else HOSTILE for name in about}
    return texts | {"content": HOSTILE, "source": HOSTILE}


@pytest.fixture
def hostile_rows(transactional_db):
    """Rows of every model; each text is a script and a javascript: address."""
    skill = SkillFactory(slug=HOSTILE, **hostile(ABOUT_SKILL))
    texts = hostile(ABOUT)
    persona = PersonaFactory(slug=HOSTILE, **texts, skills=[skill])
    agent = AgentFactory(name=HOSTILE, description=HOSTILE, runtime=HOSTILE)
    SkillInstallFactory(agent=agent, skill=skill, runtime=HOSTILE)
    PersonaInstallFactory(agent=agent, persona=persona)
    now = timezone.now()
    Review.objects.create(
        agent=agent, persona=persona, rating=4, comment=HOSTILE, created_at=now, updated_at=now
    )
    OperatorClaim.objects.update(
        operator_name=HOSTILE, operator_email=HOSTILE, claimed_at=timezone.now()
    )
    return SimpleNamespace(skill=skill, agent=agent)


class ExecutableContent(HTMLParser):
    """Everything that a browser could run: inline scripts, event handlers and javascript: URLs."""

    def __init__(self, page):
        super().__init__()
        self.snippets = []
        self.feed(page.body.decode())

    def handle_starttag(self, tag, attributes):
        if tag == "script" and not dict(attributes).get("src"):
            self.snippets.append("a script in the page")
        self.snippets += [
            f"<{tag} {name}={value!r}>"
            for name, value in attributes
            if name.startswith("on")
            or (name in ADDRESSES and (value or "").strip().lower().startswith("javascript:"))
        ]


@pytest.mark.contract("17.12")
def test_no_page_executes_catalogue_text_and_each_has_its_policy(
    live_server_of, hostile_rows, subtests
):
    server = live_server_of()
    staff, operator = Staff(server), Browser(server)
    for action in ("redraft", "publish"):
        staff.submit(SKILL, action=action, _selected_action=hostile_rows.skill.pk, confirmed="yes")
    assert [entry.object_repr for entry in LogEntry.objects.all()] == [HOSTILE, HOSTILE]

    pages = staff.open_everything(HOSTILE, "javascript", XSS)
    for path in ("/admin/login/", "/admin/nowhere/", f"{SKILL}?e=1", f"{SKILL}?x={quote(XSS)}"):
        pages[path] = operator.get(path)
    for path in (SKILL, f"{SKILL}add/", "/admin/login/"):
        pages[f"POST {path}"] = operator.post(path, {"title": HOSTILE, "username": HOSTILE})
    completions = staff.get(f"/admin/autocomplete/?{urlencode(SKILLS_TO_BUNDLE)}")
    claim = f"/claim/{hostile_rows.agent.claim.secret}"
    claim_pages = [operator.get(claim), operator.get("/claim/unknown"), operator.post(claim, {})]

    assert len(pages) > 60
    for path, page in pages.items():
        with subtests.test(path):
            assert page.status in {200, 302, 403, 404}
            assert page.headers["Content-Security-Policy"] == ContentSecurityPolicyMiddleware.ADMIN
            if page.status != 302:
                kind, _, _ = page.headers["Content-Type"].partition(";")
                if "/export/" in path:
                    assert kind in {"application/zip", "application/jsonl"}
                    assert page.headers["Content-Disposition"].startswith("attachment; ")
                    continue
                assert kind == "text/html"
            assert XSS not in page.body.decode()
            assert ExecutableContent(page).snippets == []
    assert sum(b"&lt;script&gt;alert(1)" in page.body for page in pages.values()) > 20
    assert HOSTILE in completions.body.decode()
    assert completions.headers["Content-Type"] == "application/json"
    assert completions.headers["X-Content-Type-Options"] == "nosniff"
    for page in claim_pages:
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert "unsafe" not in page.headers["Content-Security-Policy"]
        assert XSS not in page.body.decode()
        assert ExecutableContent(page).snippets == []


@pytest.mark.contract("7.1")
def test_claim_urls_cannot_be_guessed(anyone, rates):
    rates(register="1000000/h")
    number = scale(short=300, long=5000)
    urls = [anyone.post(REGISTER).json()["claim"]["claimUrl"] for _ in range(number)]

    secrets = [re.fullmatch(r"http://testserver/claim/([0-9A-Za-z]{32})", url)[1] for url in urls]
    assert len(set(secrets)) == len({secret[:8] for secret in secrets}) == number
    characters = Counter("".join(secrets))
    usual = number * 32 / 62
    assert len(characters) == 62
    assert all(0.5 * usual < times < 1.5 * usual for times in characters.values())
    for guess in (secrets[0][:-1], secrets[0].swapcase(), f"{secrets[0]}0", "0" * 32):
        assert anyone.get(f"/claim/{guess}").status_code == 404
    assert anyone.get(f"/claim/{secrets[0]}").status_code == 200


MULTIPART = b'--x\r\nContent-Disposition: form-data; name="title"\r\n\r\n%b\r\n--x--\r\n' % LARGE
TOO_MUCH = {
    "a field of 3 MB": (b"title=" + LARGE, FORM),
    "a field of 3 MB in multipart": (MULTIPART, "multipart/form-data; boundary=x"),
    "3 MB of fields": (b"a=1&" * (len(LARGE) // 4), FORM),
    "2,000 fields": (b"&".join(b"a%d=1" % number for number in range(2000)), FORM),
}


# With PLAIN=1, gunicorn closes the connection while a client still sends, so it may lose the 413.
@pytest.mark.infrastructure
def test_a_form_beyond_the_bounds_is_refused(live_server_of, subtests):
    server, agent, skill = live_server_of(), AgentFactory(), SkillFactory()
    start = len(server.log.read_text())
    staff, nobody = Staff(server), Browser(server)
    staff.get(SKILL)  # sets the CSRF cookie
    nobody.get("/admin/login/")
    places = [
        *((staff, path) for path in (SKILL, f"{SKILL}add/", f"{SKILL}{skill.pk}/change/")),
        *((nobody, path) for path in ("/admin/login/", f"/claim/{agent.claim.secret}")),
    ]
    for name, form in TOO_MUCH.items():
        for browser, path in places:
            with subtests.test(f"{name} to {path}"):
                assert browser.post(path, *form).status in {400, 413}
    assert Skill.objects.get().title == skill.title
    assert "ERROR django.request" not in server.log.read_text()[start:]
