"""Invitations in the scene of test_secrets: issued, spent, refused and revoked."""

import re

from tests.imports import manage
from tests.system.misplaced_secrets import API

INVITATION = re.compile(r"mkt_invite_[0-9A-Za-z]{38}")
ISSUE = "/admin/agents/invitation/add/"


def use(scene):
    """Issue one in the admin and one by the command; register with both, and once too often."""
    led = scene.staff.submit(ISSUE, uses="1", expires_in_days="7", scopes=["read"], note="Team")
    page = scene.staff.shown_once(led)
    (scene.secrets["invitation of the admin"],) = set(INVITATION.findall(page.body.decode()))
    printed = manage("issue_invitation", "--uses", "5")
    assert printed.stderr == ""
    scene.secrets["invitation of the command"] = printed.stdout.strip()
    for number, name in enumerate(("admin", "command")):
        text = scene.secrets[f"invitation of the {name}"]
        scene.register(f"guest-{number}", invitation=text)
    refused = scene.send(
        "POST",
        f"{API}/agents/register",
        {"invitation": scene.secrets["invitation of the admin"]},
    )
    assert refused.status == 403


def revoke(scene):
    text = scene.secrets["invitation of the command"]
    assert scene.send("POST", f"{API}/tokens/revoke", {"token": text}).status == 200
