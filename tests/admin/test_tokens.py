"""Staff issue, revoke and find tokens in the admin"""

import logging
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.utils import timezone

from agents.models import AgentToken
from tests.admin.actions import take_action
from tests.browser import untouched_form
from tests.factories import AgentFactory, SkillFactory

AGENTS = "/admin/agents/agent/"
TOKENS = "/admin/agents/agenttoken/"
ME = "/api/v1/agents/me"
INSTALL = "/api/v1/agents/me/skills/install"
TOKEN = re.compile(r"mkt_agent_[0-9A-Za-z]{38}")


def issue(admin_client, agent, *scopes, **fields):
    """Issue a token as a person does: the action, then the form of its page."""
    page = take_action(admin_client, "issue_token", agent)
    assert page.status_code == 200
    form = untouched_form(page) | {"issue": "Issue the token"} | fields
    form |= {"scopes": list(scopes)} if scopes else {}
    return admin_client.post(AGENTS, form, follow=True)


def token_in(page):
    (text,) = set(TOKEN.findall(page.content.decode()))
    return text


@pytest.mark.contract("4.13")
def test_an_issued_token_works_over_the_api(admin_client, agent, client_of):
    page = issue(admin_client, agent)

    response = client_of(token=token_in(page)).get(ME)
    assert response.status_code == 200
    assert response.json()["handle"] == "caller"
    assert response.json()["scopes"] == ["read", "install", "review"]
    assert agent.tokens.count() == 2


def test_opening_the_form_issues_nothing(admin_client, agent):
    page = take_action(admin_client, "issue_token", agent)

    assert not TOKEN.search(page.content.decode())
    assert agent.tokens.count() == 1


@pytest.mark.contract("4.13")
def test_a_token_is_issued_with_fewer_scopes(admin_client, agent, client_of):
    SkillFactory(slug="pdf-tables")

    reader = client_of(token=token_in(issue(admin_client, agent, "read")))

    assert reader.get(ME).json()["scopes"] == ["read"]
    response = reader.post(INSTALL, {"slug": "pdf-tables"})
    assert response.status_code == 403
    assert response.json() == {"error": "Insufficient permissions"}


@pytest.mark.parametrize("scopes", [[], ["admin"], ["read", "everything"]])
def test_a_token_of_no_or_unknown_scopes_is_not_issued(admin_client, agent, scopes):
    response = take_action(admin_client, "issue_token", agent, issue="Issue", scopes=scopes)

    assert response.status_code == 200
    assert "scopes" in response.context["form"].errors
    assert agent.tokens.count() == 1


@pytest.mark.contract("4.9")
def test_an_issued_token_is_shown_once_and_stored_nowhere(
    admin_client, admin_client_of, agent, caplog
):
    caplog.set_level(logging.DEBUG)
    page = issue(admin_client, agent)
    text = token_in(page)
    token = AgentToken.objects.latest("pk")

    assert "no-store" in page.headers["Cache-Control"]
    address = f"{TOKENS}{token.pk}/issued/"
    assert page.redirect_chain == [(address, 302)]
    response = admin_client.get(address)
    assert token_in(response) == text
    assert 'src="/static/admin.js"' in response.content.decode()  # which copies it
    # The test client sends the cookie to the page of another token, too.
    elsewhere = admin_client.get(f"{TOKENS}{agent.token.pk}/issued/")
    assert (elsewhere.status_code, elsewhere.content) == (302, b"")
    assert elsewhere["Location"] == f"{TOKENS}{agent.token.pk}/change/"
    assert agent.tokens.count() == 2
    value = admin_client.cookies.pop("shown-once").value
    assert admin_client.get(address)["Location"] == f"{TOKENS}{token.pk}/change/"
    other = admin_client_of("Moderators")
    other.cookies["shown-once"] = value
    assert text not in other.get(address, follow=True).content.decode()
    later = [f"{AGENTS}{agent.pk}/change/", f"{AGENTS}{agent.pk}/history/"]
    later += [f"{TOKENS}{token.pk}/change/", f"{TOKENS}{token.pk}/history/"]
    for url in ["/admin/", AGENTS, TOKENS, *later]:
        response = admin_client.get(url)
        assert response.status_code == 200
        assert text not in response.content.decode(), url
    assert text not in take_action(admin_client, "issue_token", agent).content.decode()
    assert text not in str([session.get_decoded() for session in Session.objects.all()])
    assert text not in str(list(LogEntry.objects.values())) + str(admin_client.cookies)
    assert text not in str(list(AgentToken.objects.values()))
    assert text not in caplog.text


def test_issuing_a_token_is_logged_by_its_hint(admin_client, agent):
    text = token_in(issue(admin_client, agent))

    assert str(LogEntry.objects.get()).endswith(f"Issued the token {text[:14]}…{text[-4:]}.")


@pytest.mark.contract("4.13", "15.12")
def test_an_issued_token_may_expire(admin_client, agent, client_of):
    page = issue(admin_client, agent, expires_in_days="30")
    client = client_of(token=token_in(page))
    token = agent.tokens.first()

    assert token.expires_at - token.created_at == pytest.approx(
        timedelta(days=30), abs=timedelta(minutes=1)
    )
    assert f"Expires on {token.expires_at:%-d %B %Y, %H:%M} (UTC)." in page.content.decode()
    assert client.get(ME).status_code == 200
    agent.tokens.filter(pk=token.pk).update(expires_at=timezone.now())
    assert client.get(ME).status_code == 401
    assert "read, install, review; expired" in (
        admin_client.get(f"/admin/agents/agent/{agent.pk}/change/").content.decode()
    )


def test_the_tokens_of_a_suspended_agent_are_shown_as_suspended(admin_client, agent):
    agent.suspend("spam")

    page = admin_client.get(f"/admin/agents/agent/{agent.pk}/change/").content.decode()

    assert "read, install, review; suspended" in page
    assert "usable" not in page


def test_an_issued_token_has_no_expiry_by_default(admin_client, agent):
    page = issue(admin_client, agent)

    assert agent.tokens.first().expires_at is None
    assert "Never expires." in page.content.decode()


@pytest.mark.parametrize("days", ["0", "-1", "3651", "1.5", "soon"])
def test_the_form_refuses_an_invalid_number_of_days(admin_client, agent, days):
    response = take_action(
        admin_client,
        "issue_token",
        agent,
        issue="Issue",
        scopes="read",
        expires_in_days=days,
    )

    assert "expires_in_days" in response.context["form"].errors
    assert agent.tokens.count() == 1


def test_one_token_is_issued_to_one_agent_at_a_time(admin_client, agent):
    response = take_action(admin_client, "issue_token", agent, AgentFactory(), issue="Issue")

    assert "Select exactly one agent." in response.content.decode()
    assert AgentToken.objects.count() == 2


@pytest.mark.contract("4.13")
def test_staff_revoke_one_token_and_the_others_stay(admin_client, agent, client, client_of):
    other = AgentToken.objects.issue(agent)

    take_action(admin_client, "revoke", other)

    assert client_of(token=other.text).get(ME).status_code == 401
    assert client.get(ME).status_code == 200


def test_revoking_again_keeps_the_first_time_and_reason(admin_client, agent):
    agent.token.revoke("Reported as leaked")
    first = AgentToken.objects.get()

    take_action(admin_client, "revoke", agent.token)

    again = AgentToken.objects.get()
    assert again.revoked_at == first.revoked_at
    assert again.revocation_reason == "Reported as leaked"


@pytest.mark.parametrize("page", ["", "{}/change/"])
def test_staff_see_the_name_the_state_and_why_a_token_was_revoked(admin_client, agent, page):
    token = AgentToken.objects.issue(agent, name="Laptop")
    page = TOKENS + page.format(token.pk)
    agent.token.delete()
    assert "usable</span>" in admin_client.get(page).content.decode()

    take_action(admin_client, "revoke", token)

    text = admin_client.get(page).content.decode()
    assert "Laptop" in text
    assert "revoked</span>" in text
    assert "Revoked by staff" in text


@pytest.mark.contract("15.11")
def test_the_list_can_show_the_leaked_ones_alone(admin_client, agent):
    AgentFactory(handle="unharmed").token.revoke("Revoked by staff")
    agent.token.revoke("Reported as leaked")
    leaked_at = datetime(2026, 1, 31, 9, 5, tzinfo=UTC)
    AgentToken.objects.filter(pk=agent.token.pk).update(revoked_at=leaked_at)

    page = admin_client.get(TOKENS, {"revoked_at": "leaked"})

    assert list(page.context["cl"].result_list) == [agent.token]
    text = page.content.decode()
    for part in (agent.token.hint, ">caller<", "31 Jan 2026, 09:05", "Reported as leaked"):
        assert part in text
    assert "unharmed" not in text


def test_restoring_an_agent_does_not_revive_a_revoked_token(admin_client, agent, client):
    take_action(admin_client, "revoke", agent.token)
    take_action(admin_client, "suspend", agent, reason="It floods.")
    take_action(admin_client, "restore", agent)

    assert client.get(ME).status_code == 401


@pytest.mark.parametrize("spelling", ["{}", "  {}\n"])
def test_a_pasted_token_finds_its_row(admin_client, agent, spelling):
    AgentFactory()

    for page in (TOKENS, AGENTS):
        response = admin_client.post(f"{page}find/", {"q": spelling.format(agent.token.text)})

        assert response.status_code == 302
        assert response.headers["Location"] == f"{TOKENS}{agent.token.pk}/change/"


def test_a_token_in_an_address_finds_nothing(admin_client, agent):
    for page in (TOKENS, AGENTS):
        response = admin_client.get(page, {"q": agent.token.text})

        assert not response.context["cl"].result_list
        assert "not into a URL" in response.content.decode()


def test_text_that_is_no_token_is_searched_for(admin_client, agent):
    response = admin_client.post(f"{AGENTS}find/", {"q": "caller"})

    assert response.headers["Location"] == f"{AGENTS}?q=caller"
    assert list(admin_client.get(response.headers["Location"]).context["cl"].result_list) == [agent]


@pytest.mark.parametrize("part", [slice(0, 14), slice(-4, None)])
def test_the_start_or_end_of_a_token_finds_its_row(admin_client, agent, part):
    AgentFactory()

    page = admin_client.get(TOKENS, {"q": agent.token.text[part]})

    assert list(page.context["cl"].result_list) == [agent.token]


def test_a_pasted_token_that_was_never_issued_finds_nothing(admin_client, agent):
    unknown = AgentToken.objects.issue(agent)
    unknown.delete()

    response = admin_client.post(f"{TOKENS}find/", {"q": unknown.text}, follow=True)
    assert "No agent has this token." in response.content.decode()
    assert unknown.text not in response.content.decode()
    assert not admin_client.get(TOKENS, {"q": agent.token.text[:-1]}).context["cl"].result_list
