"""`make demo ARGS=--private`: a private marketplace with an invitation (docs/deploy/private.md)"""

import re

import pytest

from tests.checkouts import bare_checkout

pytestmark = pytest.mark.slow


@pytest.mark.contract("26.12")
def test_it_is_closed_and_prints_an_invitation(demo_in, new_folder):
    demo = demo_in(bare_checkout(new_folder() / "checkout"))
    demo.variables = {"DEMO_ACTIVITY": "0", "ARGS": "--private"}

    demo.start()

    assert demo.request("GET", "/api/v1/skills").status == 401
    assert demo.request("POST", "/api/v1/agents/register", {}).status == 403
    (invitation,) = set(re.findall(r"mkt_invite_\w+", demo.output()))
    registered = demo.request("POST", "/api/v1/agents/register", {"invitation": invitation})
    assert registered.status == 201
    read = demo.request("GET", "/api/v1/skills/pdf-tables", token=registered.json()["token"])
    assert read.status == 200
