"""A person connects a client in a real browser, coming from another site (contract 35.20)"""

import os
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from connections.models import OAuthClient
from tests.chromium import SCREENS, Visitor, needs_chromium, visit
from tests.connections.pages.consenting import CHALLENGE
from tests.factories import AgentFactory, claim

pytestmark = [pytest.mark.external, needs_chromium]


class ClientSite(BaseHTTPRequestHandler):
    """The site of a client. For the browser, `localhost` is another site than `127.0.0.1`."""

    link = onward = ""
    answers = []

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/callback":
            self.answers.append(dict(parse_qsl(url.query)))
            if self.onward:
                self.send_response(302)
                self.send_header("Location", self.onward)
                self.end_headers()
                return
        body = f"<!doctype html><link rel=icon href=data:,><a href='{self.link}'>Connect</a>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@contextmanager
def client_site():
    site = type("Site", (ClientSite,), {"answers": []})
    with ThreadingHTTPServer(("localhost", 0), site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site.url = f"http://localhost:{server.server_port}"
        yield site
        server.shutdown()


@pytest.fixture
def visitor(request, live_server_of):
    size, scheme = request.param
    server = live_server_of(OAUTH="true", RATE_LIMIT_OPERATOR="1000/h")
    with visit(Visitor, server, size, color_scheme=scheme) as visitor:
        visitor.name = f"{size}-{scheme}".replace(" ", "-")
        yield visitor


def look(visitor, serious_violations, name):
    page = visitor.page
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=f"{folder}/{visitor.name}-{name}.png", full_page=True)
    assert serious_violations(page) == [], name
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(width) == 0, name


class ConnectWalk:
    """A person's browser, on the site of a client that asks to be connected."""

    def __init__(self, visitor, serious_violations, site):
        self.visitor, self.page, self.site = visitor, visitor.page, site
        self.serious_violations = serious_violations
        callback = f"{site.url}/callback"
        self.client = OAuthClient.objects.register(name="Claude", redirect_uris=[callback])
        parameters = {
            "response_type": "code",
            "client_id": self.client.public_id,
            "redirect_uri": callback,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "the state",
        }
        site.link = f"{visitor.url}/operator/connect?{urlencode(parameters)}"

    def look(self, name):
        look(self.visitor, self.serious_violations, name)

    def arrive(self):
        self.page.goto(self.site.url)
        self.page.click("text=Connect")
        self.page.wait_for_url("**&here=1")

    def allow_by_keyboard(self, key):
        """Log in with the key, and allow everything but "install"."""
        self.page.focus("[name=key]")
        self.page.keyboard.type(key)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("text=It calls itself")
        self.look("consent")
        self.page.focus("[name=agent]")
        for button in ("Tab", "Tab", "Space", "Tab", "Tab", "Enter"):
            self.page.keyboard.press(button)
        self.page.wait_for_url(f"{self.site.url}/callback?**")

    def allow_a_new_agent(self):
        self.page.fill("[name=name]", "Ada Lovelace")
        self.page.fill("[name=email]", "ada@example.com")
        self.visitor.press("Get an agent")
        self.page.wait_for_selector("text=Your operator key")
        self.look("newcomer")
        self.visitor.press("Allow")
        self.page.wait_for_url(f"{self.site.url}/callback?**")


@pytest.mark.contract("35.20", "35.27")
@pytest.mark.parametrize("visitor", SCREENS, ids="-".join, indirect=True)
def test_a_person_connects_a_client(visitor, serious_violations):
    key, page = claim(AgentFactory(handle="crawler", name="Reads the web")), visitor.page
    with client_site() as site:
        walk = ConnectWalk(visitor, serious_violations, site)
        # Without a session: the key, then the question.
        walk.arrive()
        walk.look("log-in")
        walk.allow_by_keyboard(key)
        assert site.answers[-1].keys() == {"code", "state", "iss"}
        assert (site.answers[-1]["state"], site.answers[-1]["iss"]) == ("the state", visitor.url)
        assert walk.client.codes.get().scopes == ["read", "review"]
        walk.client.codes.get().spend()

        # With one: the strict cookie is there behind the hop, and the question comes again.
        walk.arrive()
        visitor.press("Deny")
        page.wait_for_url(f"{site.url}/callback?**")
        assert site.answers[-1]["error"] == "access_denied"

        # The callback of claude.ai opens its own app.
        site.onward = "claude://connected"
        walk.arrive()
        with page.expect_event("request", lambda request: request.url == site.onward):
            page.click("button:has-text('Allow')")
        assert "code" in site.answers[-1]

        visitor.open("/operator/connections")
        walk.look("connections")
        assert "acts as crawler, may read, review" in visitor.text()

        # Somebody else, who has no agent yet.
        site.onward = ""
        page.context.clear_cookies()
        walk.arrive()
        walk.allow_a_new_agent()
        assert "code" in site.answers[-1]
        errors = [text for _, text in visitor.errors if f"a request to {site.url}/" not in text]
        assert errors == ["a request to claude://connected"]
