"""Hostile requests to the claim page and the console are refused, and do nothing."""

from urllib.parse import quote

import pytest

from agents.models import Agent, AgentToken, ClaimCode, OperatorClaim, OperatorKey
from installs.models import PersonaInstall, SkillInstall
from operators.actions import ACTIONS
from operators.models import OperatorSession
from tests.browser import untouched_form

HOME = "/operator/agents/caller"
FORM = "application/x-www-form-urlencoded"
MULTIPART = b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n--x--\r\n'
# Values as they are in the body: NUL, not UTF-8, surrogates, not a number, too long, injections.
VALUES = [
    *("%00", "%FF", "%ED%A0%80", "%C0%AF", "%u0041", "%", "%F0%9F%92%A9" * 50, "%E2%80%AEx"),
    *("1e400", "NaN", "-1", "0", "1.5", "%C2%B2", "9" * 5000, "x" * 60_000),
    *("'%20OR%201=1--", "{{7*7}}", "<script>alert(1)</script>", "../../etc/passwd"),
]
BODIES = [
    (b"", FORM),
    (b"&&==&;=%", FORM),
    (b"&".join(b"f%d=1" % number for number in range(2000)), FORM),
    (b"name=" + b"x" * 3_000_000, FORM),
    (b"\xff\xfe\0", FORM),
    (b"--x", "multipart/form-data; boundary=x"),
    (b"--x", "multipart/form-data"),
    (MULTIPART % (b"name\0", b"\0"), "multipart/form-data; boundary=x"),
    (MULTIPART % (b'key"; filename="../a', b"\0"), "multipart/form-data; boundary=x"),
    (b'{"name": "a"}', "application/json"),
    (b"name=a", "x" * 8000),
]
COOKIES = [
    *("", ":", "::", "a", "a:b", "\0", "é", "x" * 5000, "00000000-0000-0000-0000-000000000000"),
    *("00000000-0000-0000-0000-000000000000:" + "0" * 64, "1:" + "0" * 64, '"', "mkt_operator_x"),
]
SEGMENTS = [
    *(
        "%00",
        "%FF",
        "..",
        ".",
        "%2e%2e%2f",
        "caller%00",
        "CALLER",
        "caller%20",
        "caller%0A",
        "a" * 40,
    ),
    *("a" * 5000, "%C3%A9", "'%20OR%201=1--", "-", "caller;x", "caller/x/y", "caller/pause/x", "%"),
]
QUERIES = [
    *(f"/operator?{name}=" for name in ("after", "done", "key", "%00", "next")),
    *(f"{HOME}?{name}=" for name in ("skills", "personas", "reviews")),
]


@pytest.fixture
def forms(agent, key, paths):
    """The path of each form, and its fields."""
    return {
        "/operator": ["key"],
        f"/claim/{agent.claim.secret}": ["name", "email", "key"],
        paths["issue-token"]: ["name", "scopes", "expires_in_days"],
        paths["pin-skill"]: ["version"],
        paths["limits"]: ["install", "review", "manage", "report"],
    }


def everything():
    models = [Agent, AgentToken, OperatorClaim, ClaimCode, OperatorKey, OperatorSession]
    rows = [
        model.objects.order_by("pk").values() for model in (*models, SkillInstall, PersonaInstall)
    ]
    return [[{**row, "last_used_at": None} for row in table] for table in rows]


def post(browser, path, body, content_type=FORM, token=None):
    token = browser.cookies["csrftoken"].value if token is None else token
    headers = {"X-CSRFToken": token}
    return browser.generic("POST", path, body, content_type, headers=headers)


@pytest.fixture
def refused(rates):
    """Assert that each response is a page of a 4xx, and that nothing was written."""
    rates(operator="1000000/h")

    def refused(responses):
        before = everything()
        for request, response in responses:
            assert 400 <= response.status_code < 500, (request, response.status_code)
            assert response.headers["Content-Type"].startswith("text/html"), request
        assert everything() == before

    return refused


@pytest.mark.slow
def test_a_hostile_field_is_refused(console, forms, refused):
    console.get("/operator")
    fine = {"name": "Eve", "email": "eve@example.com", "scopes": "read"}

    def responses():
        for path, names in forms.items():
            for name in names:
                others = "&".join(f"{k}={v}" for k, v in fine.items() if k in names and k != name)
                for value in VALUES:
                    if name != "name":  # which may be anything
                        yield (path, name, value), post(console, path, f"{others}&{name}={value}")

    refused(responses())


def test_a_hostile_body_is_refused_and_does_nothing(console, forms, refused):
    console.get("/operator")

    refused(
        (path, post(console, path, *body))
        for path in forms
        if "limits" not in path
        for body in BODIES
    )


@pytest.mark.slow
def test_a_hostile_body_never_breaks_an_action(console, paths, rates):
    rates(manage="1000/h")
    console.get("/operator")
    for name in ACTIONS:
        if name != "release":
            statuses = {post(console, paths[name], *body).status_code for body in BODIES}
            assert statuses <= {200, 302, 400, 404, 413}, name


def test_a_hostile_cookie_opens_nothing(operator, paths, refused):
    for value in COOKIES:
        operator.cookies["operator"] = value
        for path in (HOME, paths["pause"]):
            assert operator.get(path).headers["Location"] == "/operator?agent=caller"
        assert operator.get("/operator/end-sessions").headers["Location"] == "/operator"
        assert operator.get("/operator").status_code == 200


@pytest.mark.parametrize("token", ["", "x", "\0", "é", "x" * 32, "x" * 64, "x" * 5000])
def test_a_hostile_csrf_token_does_nothing(console, paths, refused, token):
    refused((path, post(console, path, "", token=token)) for path in ("/operator", *paths.values()))


@pytest.mark.slow
def test_a_hostile_path_is_not_found(console, refused):
    form = untouched_form(console.get("/operator"))

    def responses():
        for segment in SEGMENTS:
            for path in (
                *(f"/operator/{segment}", f"/operator/agents/{segment}/pause", f"{HOME}/{segment}"),
                *(f"{HOME}/{name}/{segment}" for name in ("revoke-token", "remove-skill")),
                f"/claim/{segment}",
            ):
                yield path, console.get(path)
                yield path, console.post(path, form)

    refused(responses())


@pytest.mark.slow
def test_a_hostile_query_is_ignored(console):
    for query in QUERIES:
        for value in (*VALUES[::3], quote("²"), "9" * 18, "9" * 19):
            assert console.get(query + value).status_code in {200, 400}


@pytest.mark.parametrize("path", ["/operator", "/admin/login/"])
def test_a_form_that_cannot_be_read_is_one_without_its_csrf_token(live_server_of, path):
    server = live_server_of()
    for kind in (f"{FORM}; charset=utf-16", f"{FORM}; charset=klingon", "multipart/form-data"):
        headers = {"Content-Type": kind, "Cookie": f"csrftoken={'a' * 32}"}
        assert server.request("POST", path, b"key=x", headers=headers).status == 403
