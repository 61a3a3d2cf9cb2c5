"""`make demo ARGS=…`: a private marketplace, and one with an identity provider (contract 26.12)"""

import http.client
import re
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tests.checkouts import migrated_checkout

pytestmark = pytest.mark.servers


@contextmanager
def private_demo(demo, option):
    """A private marketplace without past activity."""
    demo.variables = {"ARGS": option, "DEMO_ACTIVITY": "0"}
    demo.start()
    yield demo
    demo.terminate()


@pytest.fixture
def private(demo_in, new_folder):
    """One as docs/deploy/private.md has it."""
    with private_demo(demo_in(migrated_checkout(new_folder() / "checkout")), "--private") as demo:
        yield demo


@pytest.fixture
def with_provider(demo_in, new_folder):
    """One with an identity provider beside it (docs/deploy/sign-in.md)."""
    with private_demo(demo_in(migrated_checkout(new_folder() / "checkout")), "--sign-in") as demo:
        yield demo


@pytest.mark.contract("26.12")
@pytest.mark.slow
def test_a_private_one_is_closed_and_prints_an_invitation_and_is_empty_on_request(private):
    assert private.request("GET", "/api/v1/skills").status == 401
    assert private.request("POST", "/api/v1/agents/register", {}).status == 403
    (invitation,) = set(re.findall(r"mkt_invite_\w+", private.output()))
    registered = private.request("POST", "/api/v1/agents/register", {"invitation": invitation})
    assert registered.status == 201
    path = "/api/v1/personas?sort=installs&limit=1"
    [most] = private.request("GET", path, token=registered.json()["token"]).json()["results"]
    assert most["installs"] == 0
    assert "activity" not in private.output()


@pytest.mark.slow
def test_one_with_a_provider_leads_to_its_people(with_provider):
    led = with_provider.request("GET", "/admin/sign-in?next=/skills")

    url = urlsplit(led.headers["Location"])
    assert (led.status, url.port) == (302, with_provider.port + 1)
    link = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
    link.request("GET", f"{url.path}?{url.query}")
    page = link.getresponse().read().decode()
    link.close()
    output = with_provider.output()
    for name in ("Ada", "Grace", "Alan", "Mallory"):
        assert name in page
        assert name in output
