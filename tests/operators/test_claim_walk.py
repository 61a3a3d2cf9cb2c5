"""The claim page in a real browser: its URL is a secret, which no request may carry on."""

import pytest

from tests.chromium import SCREENS, Visitor, needs_chromium, visit
from tests.factories import AgentFactory

pytestmark = [pytest.mark.external, needs_chromium]


@pytest.fixture
def visitor(request, live_server_of):
    size, scheme = request.param
    with visit(Visitor, live_server_of(), size, color_scheme=scheme) as visitor:
        yield visitor


@pytest.mark.parametrize("visitor", SCREENS, ids="-".join, indirect=True)
def test_an_operator_claims_and_goes_on_to_the_site(visitor, serious_violations):
    agent = AgentFactory(handle="crawler")
    secret = agent.claim.secret
    page, told = visitor.page, []
    page.on("request", lambda request: told.append((request.url, request.all_headers())))

    visitor.open(f"/claim/{secret}")
    assert serious_violations(page) == []
    page.fill("[name=name]", "Ada Lovelace")
    page.fill("[name=email]", "ada@example.com")
    visitor.press("Get a code")
    code = page.locator("#code").inner_text()
    assert serious_violations(page) == []
    key = page.inner_text("#key")
    page.reload()
    assert (page.locator("#code").inner_text(), page.inner_text("#key")) == (code, key)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click(".say + .copy")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"Confirm your operator with code {code}"
    agent.claim.confirm(code, agent.token)
    page.wait_for_selector("h1:has-text('Confirmed')")
    assert serious_violations(page) == []
    visitor.press("Open your console")
    assert page.inner_text("h1") == "Some Agent"
    visitor.press("Skills", within=".top nav")

    assert page.url == f"{visitor.url}/skills"
    assert visitor.errors == []
    referers = {headers.get("referer") for _, headers in told}
    assert referers == {None, f"{visitor.url}/", f"{visitor.url}/skills"}
    assert {url for url, _ in told if secret in url} == {f"{visitor.url}/claim/{secret}"}
