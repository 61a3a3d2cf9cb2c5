"""A client that runs in a browser, on another site, signs in by itself (contract 35)"""

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from tests.chromium import Visitor, needs_chromium, visit

pytestmark = [pytest.mark.external, needs_chromium]
# As the SDK for TypeScript sends them: each header makes the browser ask first.
FETCH = """async ([url, method, body]) => {
  const headers = {"MCP-Protocol-Version": "2026-07-28", "Content-Type": "application/json"};
  if (url.endsWith("/mcp/oauth")) Object.assign(headers, {
    Accept: "application/json, text/event-stream", Authorization: "Bearer mkt_agent_no",
    "Mcp-Method": "tools/call", "Mcp-Name": "my_profile", "Mcp-Session-Id": "1",
    "Last-Event-ID": "1",
  });
  const form = new URLSearchParams({grant_type: "authorization_code", client_id: "no", token: "x"});
  const sent = method === "POST" ? {method, headers, body: body ?? form} : {method, headers};
  if (sent.body === form) delete headers["Content-Type"];
  try {
    const response = await fetch(url, sent);
    return [response.status, response.headers.get("WWW-Authenticate")];
  } catch (error) { return [0, null]; }
}"""


class OtherSite(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextmanager
def other_site():
    """The address of an empty page."""
    with HTTPServer(("127.0.0.1", 0), OtherSite) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.contract("35.5", "35.10")
def test_scripts_of_other_sites_reach_everything_but_the_consent_page(live_server_of):
    server = live_server_of(OAUTH="true")
    base = f"http://127.0.0.1:{server.port}"
    about = '{"redirect_uris": ["https://client.example.com/cb"]}'
    document = f"{base}/.well-known/oauth-protected-resource"
    requests = [
        [f"{document}/mcp/oauth", "GET", None],
        [document, "GET", None],
        [f"{base}/.well-known/oauth-authorization-server", "GET", None],
        [f"{base}/oauth/register", "POST", about],
        [f"{base}/oauth/token", "POST", None],
        [f"{base}/oauth/revoke", "POST", None],
        [f"{base}/mcp/oauth", "POST", "{}"],
        [f"{base}/operator/connect?client_id=no", "GET", None],
    ]

    with visit(Visitor, server, "desktop") as visitor, other_site() as site:
        visitor.page.goto(site)
        answers = [visitor.page.evaluate(FETCH, request) for request in requests]

    refused = (
        f'Bearer error="invalid_token", resource_metadata="{document}/mcp/oauth", '
        'scope="read install review"'
    )
    statuses = [200, 200, 200, 201, 401, 401, 401, 0]
    assert [status for status, _ in answers] == statuses
    assert answers[6][1] == refused
