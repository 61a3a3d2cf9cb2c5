"""A word that two entries hold is told to nobody who is no member (contract 26.6)"""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from agents.models import Agent, AgentToken
from interfaces.mcp import server, skills
from interfaces.openapi.root import RootViewSet
from interfaces.website.pages import Page
from marketplace import access
from marketplace.urls import urlpatterns
from tests.access.walk import (
    PENDING,
    SKILL,
    WORD,
    body_of,
    fill,
    requests,
    requests_of_connectors,
    routes,
)
from tests.api.stopped_tokens import expired, paused, revoked, suspended
from tests.connections import urls as urls_of_connectors
from tests.factories import AgentFactory, SkillFactory

pytestmark = pytest.mark.usefixtures("members_only_module")


def nobody(_agent):
    return None


def narrow(agent):
    return AgentToken.objects.issue(agent, ["install", "review"]).text


# One walk takes some ten seconds. One rule refuses every token that has ended, so two walks through
# cold caches are enough.
VISITS = [
    (nobody, False),
    pytest.param(narrow, False, marks=pytest.mark.slow),
    *(
        pytest.param(visitor, True, marks=pytest.mark.slow)
        for visitor in (nobody, narrow, revoked, suspended, paused, expired)
    ),
]


class WalkClient:
    """Sends the requests of the walk with a token, or with none."""

    def __init__(self, token=None, **headers):
        self.client = Client(raise_request_exception=False)
        self.headers = headers | ({"Authorization": f"Bearer {token}"} if token else {})

    def send(self, method, path, body=None, **headers):
        return self.client.generic(
            method,
            path,
            body_of(body) or b"",
            content_type="application/json",
            headers=self.headers | headers,
        )

    def told(self, method, path, body=None, **headers):
        """The whole response as text: status line, headers and body."""
        response = self.send(method, path, body, **headers)
        lines = [f"{response.status_code} {response.reason_phrase}"]
        lines += [f"{name}: {value}" for name, value in response.headers.items()]
        lines += [str(cookie) for cookie in response.cookies.values()]
        return "\n".join(lines), response.getvalue().decode(errors="replace")


class MemberClient(WalkClient):
    """A member with a new token for each request, because the walk ends tokens too."""

    def send(self, *request, **headers):
        token = AgentToken.objects.issue(AgentFactory()).text
        return super().send(*request, Authorization=f"Bearer {token}", **headers)


@pytest.fixture
def catalogue(db):
    fill(AgentFactory(handle="other"))
    SkillFactory(slug="dew", title="Dew")


@pytest.fixture
def member(catalogue):
    """A member who has read everything, so that caches are warm."""
    reader = MemberClient()
    for method, path, body in requests():
        if method == "GET" or path == "/mcp":
            reader.send(method, path, body)
    return reader


@pytest.mark.contract("26.6")
@pytest.mark.slow
def test_a_member_is_told_the_word(member):
    told = [
        (method, path)
        for method, path, body in requests()
        if method in {"GET", "POST"} and WORD in "".join(member.told(method, path, body))
    ]

    assert len({path for _, path in told if path.startswith("/api/v1/")}) > 15
    assert len({path for _, path in told if path.startswith(("/skills", "/personas"))}) > 6
    assert ("POST", "/mcp") in told


@pytest.mark.contract("29.16")
@pytest.mark.slow
def test_no_other_member_is_told_what_is_pending(catalogue):
    author = Agent.objects.get(handle="other")
    own = WalkClient(AgentToken.objects.issue(author).text)
    path = "/api/v1/agents/me/submissions/submission_sent"
    assert PENDING in own.told("GET", path)[1]
    for method, path, body in requests():
        if method == "GET":  # so that caches are warm
            own.send(method, path, body)
    member = MemberClient()

    told = [
        (method, path, body)
        for method, path, body in requests()
        if PENDING in "".join(member.told(method, path, body))
    ]

    assert told == []


@pytest.mark.contract("26.6")
@pytest.mark.parametrize(("visitor", "is_warm"), VISITS)
def test_nobody_else_is_told_the_word(catalogue, request, agent, visitor, is_warm):
    member = request.getfixturevalue("member") if is_warm else None
    stranger, count = WalkClient(visitor(agent)), 0
    for method, path, body in requests():
        headers, content = stranger.told(method, path, body)
        count += 1
        assert WORD not in headers, (method, path)
        assert WORD not in content, (method, path, body)
        assert PENDING not in headers + content, (method, path, body)
        if member and method == "GET" and (etag := member.send("GET", path).headers.get("ETag")):
            conditional = stranger.send("GET", path, **{"If-None-Match": etag})
            is_open = stranger.send("GET", path).status_code == 200
            assert is_open or conditional.status_code != 304, path
    assert count > 500


@pytest.mark.contract("26.6", "35.10")
@pytest.mark.parametrize("visitor", [nobody, pytest.param(narrow, marks=pytest.mark.slow)])
def test_connectors_tell_the_word_to_members_alone(catalogue, agent, settings, visitor):
    settings.OAUTH, settings.ROOT_URLCONF = True, urls_of_connectors.__name__
    stranger, member, sent = (
        WalkClient(visitor(agent)),
        MemberClient(),
        list(requests_of_connectors()),
    )
    for request in sent:
        text = "".join(stranger.told(*request))
        assert WORD not in text, request
        assert PENDING not in text, request

    assert {"/oauth/token", "/operator/connect"} <= {path for _, path, _ in sent}
    calls = [request for request in sent if request[1] == "/mcp/oauth" and request[2]]
    assert any(WORD in "".join(member.told(*call)) for call in calls)


@pytest.mark.contract("26.6")
def test_open_pages_reveal_nothing_about_the_catalogue(agent):
    visitor = WalkClient()
    paths = ["/", "/docs", "/api/v1", "/api/v1/openapi.json", "/skill.md", "/guide.md", "/llms.txt"]
    paths += ["/robots.txt", "/healthz", "/readyz", "/operator", "/claim/none", "/admin/login/"]
    before = {path: visitor.send("GET", path) for path in paths}
    fill(AgentFactory(handle="other"))
    for number in range(11):
        SkillFactory(title=f"Plant {number}", category="garden")

    for path, response in before.items():
        after = visitor.send("GET", path)
        assert after.status_code == response.status_code
        if path not in {"/operator", "/admin/login/"}:  # whose forms have a token
            assert after.content == response.content, path


@pytest.mark.contract("26.5")
def test_a_view_that_names_no_audience_does_not_start(monkeypatch):
    access.check_urls(urlpatterns)
    monkeypatch.setattr(Page, "audience", None)

    with pytest.raises(ImproperlyConfigured, match="Page names no audience"):
        access.check_urls(urlpatterns)


@pytest.mark.contract("26.5")
def test_a_view_that_should_ask_and_does_not_does_not_start(monkeypatch):
    monkeypatch.setattr(RootViewSet, "audience", access.Audience.READERS)

    with pytest.raises(ImproperlyConfigured, match="RootViewSet does not ask who reads"):
        access.check_urls(urlpatterns)


@pytest.mark.contract("26.5")
def test_a_handler_of_mcp_that_names_no_audience_does_not_start(monkeypatch):
    server.check_handlers()
    monkeypatch.delattr(skills.list_resources, "audience")

    with pytest.raises(ImproperlyConfigured, match="list_resources names no audience"):
        server.check_handlers()


def test_the_walk_goes_to_every_route():
    assert len(set(routes())) > 150
    assert any(f"/skills/{SKILL}" == path for _, path, _ in requests())
