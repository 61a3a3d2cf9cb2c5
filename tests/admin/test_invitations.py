"""Staff issue invitations, see which agents came with them, and revoke them"""

import re

import pytest
from django.utils import timezone

from agents.models import Agent, Invitation
from tests.admin.actions import take_action
from tests.admin.rows import change_page, url_of

REGISTER = "/api/v1/agents/register"
INVITATION = re.compile(r"mkt_invite_[0-9A-Za-z]{38}")
FORM = {
    "uses": "3",
    "expires_in_days": "30",
    "scopes": ["read", "install"],
    "tier": "free",
    "note": "For the data team",
}


def issue(client, **fields):
    return client.post(url_of(Invitation, "add"), FORM | fields, follow=True)


@pytest.mark.contract("26.2")
def test_an_invitation_is_issued_and_shown_once(admin_client, anyone):
    page = issue(admin_client)

    (text,) = set(INVITATION.findall(page.content.decode()))
    invitation = Invitation.objects.get()
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    assert (invitation.uses, invitation.note) == (3, "For the data team")
    assert (invitation.scopes, invitation.tier) == (["read", "install"], "free")
    for url in (url_of(Invitation, "changelist"), change_page(invitation)):
        content = admin_client.get(url).content.decode()
        assert "For the data team" in content
        assert text not in content
    assert anyone.post(REGISTER, {"invitation": text}).json()["scopes"] == ["read", "install"]


@pytest.mark.parametrize(
    "fields",
    [
        {"uses": "0"},
        {"uses": "10001"},
        {"expires_in_days": "366"},
        {"scopes": []},
        {"tier": "gold"},
        {"note": f"mkt_invite_{'a' * 38}"},
        {"note": "For\u202e the data team"},
    ],
)
def test_a_wrong_form_issues_nothing(admin_client, fields):
    page = issue(admin_client, **fields)

    assert page.status_code == 200
    assert not INVITATION.search(page.content.decode())
    assert not Invitation.objects.exists()


@pytest.mark.contract("26.3")
def test_its_page_shows_which_agents_came_with_it(admin_client, anyone):
    first, second = Invitation.objects.issue(uses=2), Invitation.objects.issue()
    anyone.post(REGISTER, {"handle": "guest-one", "invitation": first.text})
    anyone.post(REGISTER, {"handle": "guest-two", "invitation": second.text})

    page = admin_client.get(change_page(first)).content.decode()
    listed = admin_client.get(f"/admin/agents/agent/?invitation__id__exact={first.pk}")

    assert "guest-one" in page
    assert "guest-two" not in page
    assert "1 of 2" in page
    assert [row.handle for row in listed.context["cl"].result_list] == ["guest-one"]
    agent = Agent.objects.get(handle="guest-one")
    assert first.hint in admin_client.get(change_page(agent)).content.decode()


@pytest.mark.contract("26.3")
def test_a_revoked_invitation_brings_nobody_and_leaves_its_agents(admin_client, anyone):
    invitation = Invitation.objects.issue(uses=2)
    assert anyone.post(REGISTER, {"invitation": invitation.text}).status_code == 201

    take_action(admin_client, "revoke", invitation)

    refused = anyone.post(REGISTER, {"invitation": invitation.text})
    assert (refused.status_code, refused.json()) == (403, {"error": "Invitation is not valid"})
    assert Agent.objects.active().count() == 1
    assert "revoked" in admin_client.get(change_page(invitation)).content.decode()


def test_the_list_and_the_page_say_whether_an_invitation_is_valid(admin_client):
    issue = Invitation.objects.issue
    invitations = {name: issue(uses=2) for name in ("valid", "spent", "expired", "revoked")}
    rows = {name: Invitation.objects.filter(pk=row.pk) for name, row in invitations.items()}
    rows["valid"].update(used=1)
    rows["spent"].update(used=2)
    rows["expired"].update(expires_at=timezone.now())
    # Whatever else has happened to it.
    rows["revoked"].update(used=2, expires_at=timezone.now(), revoked_at=timezone.now())

    listed = admin_client.get(url_of(Invitation, "changelist")).content.decode()

    assert re.findall(r'class="field-state[^>]*>(?:<[^>]*>)*([^<]+)', listed) == [
        *("revoked", "expired", "spent", "valid")
    ]
    for state, invitation in invitations.items():
        page = admin_client.get(change_page(invitation)).content.decode()
        assert re.findall(r'class="state state-(\w+)"', page) == [state]
    valid = admin_client.get(url_of(Invitation, "changelist") + "?state=valid")
    assert [*valid.context["cl"].result_list] == [invitations["valid"]]


def test_a_whole_invitation_is_found_by_post(admin_client):
    invitation = Invitation.objects.issue()

    response = admin_client.post(url_of(Invitation, "find"), {"q": invitation.text})

    assert (response.status_code, response["Location"]) == (302, change_page(invitation))


@pytest.mark.contract("26.3")
def test_moderators_issue_invitations_and_editors_do_not(admin_client_of):
    for role, status in (("Moderators", 200), ("Editors", 403)):
        assert issue(admin_client_of(role)).status_code == status
    assert Invitation.objects.count() == 1


def test_permission_to_view_issues_no_invitation(clerk_with):
    assert issue(clerk_with("view_invitation")).status_code == 403
    assert not Invitation.objects.exists()
