"""Staff look after agents and tokens in the admin: issue, revoke, suspend, restore, tiers"""

import logging
import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.utils import timezone

from agents.models import AgentToken
from tests.browser import untouched_form
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)

AGENTS = "/admin/agents/agent/"
TOKENS = "/admin/agents/agenttoken/"
ME = "/api/v1/agents/me"
INSTALL = "/api/v1/agents/me/skills/install"
TOKEN = re.compile(r"mkt_agent_[0-9A-Za-z]{38}")


def run_action(admin_client, url, action, *rows, follow=True, **data):
    """Choose the action, and confirm it on the page that asks."""
    selected = {
        "action": action,
        "_selected_action": [row.pk for row in rows],
        "confirmed": "yes",
        "reason": "It leaked.",
    }
    return admin_client.post(url, selected | data, follow=follow)


def issue(admin_client, agent, *scopes, **fields):
    """Issue a token as a person does: the action, then the form of its page."""
    page = run_action(admin_client, AGENTS, "issue_token", agent)
    assert page.status_code == 200
    form = untouched_form(page) | {"issue": "Issue the token"} | fields
    return admin_client.post(AGENTS, form | ({"scopes": list(scopes)} if scopes else {}))


def token_in(page):
    (text,) = set(TOKEN.findall(page.content.decode()))
    return text


def test_an_issued_token_works_over_the_api(admin_client, agent, client_of):
    page = issue(admin_client, agent)

    answer = client_of(token=token_in(page)).get(ME)
    assert answer.status_code == 200
    assert answer.json()["handle"] == "caller"
    assert answer.json()["scopes"] == ["read", "install", "review"]
    assert agent.tokens.count() == 2


def test_asking_for_the_page_issues_nothing(admin_client, agent):
    page = run_action(admin_client, AGENTS, "issue_token", agent)

    assert not TOKEN.search(page.content.decode())
    assert agent.tokens.count() == 1


def test_a_token_is_issued_with_fewer_scopes(admin_client, agent, client_of):
    SkillFactory(slug="pdf-tables")

    reader = client_of(token=token_in(issue(admin_client, agent, "read")))

    assert reader.get(ME).json()["scopes"] == ["read"]
    answer = reader.post(INSTALL, {"slug": "pdf-tables"})
    assert answer.status_code == 403
    assert answer.json() == {"error": "Insufficient permissions"}


@pytest.mark.parametrize("scopes", [[], ["admin"], ["read", "everything"]])
def test_a_token_of_no_or_unknown_scopes_is_not_issued(admin_client, agent, scopes):
    answer = run_action(admin_client, AGENTS, "issue_token", agent, issue="Issue", scopes=scopes)

    assert answer.status_code == 200
    assert "scopes" in answer.context["form"].errors
    assert agent.tokens.count() == 1


def test_an_issued_token_is_shown_once_and_kept_nowhere(admin_client, agent, caplog):
    caplog.set_level(logging.DEBUG)
    page = issue(admin_client, agent)
    text = token_in(page)
    token = AgentToken.objects.latest("pk")

    assert "no-store" in page.headers["Cache-Control"]
    later = [
        "/admin/",
        AGENTS,
        f"{AGENTS}{agent.pk}/change/",
        f"{AGENTS}{agent.pk}/history/",
        TOKENS,
        f"{TOKENS}{token.pk}/change/",
        f"{TOKENS}{token.pk}/history/",
    ]
    for url in later:
        shown = admin_client.get(url)
        assert shown.status_code == 200
        assert text not in shown.content.decode(), url
    assert text not in run_action(admin_client, AGENTS, "issue_token", agent).content.decode()
    assert text not in str([session.get_decoded() for session in Session.objects.all()])
    assert text not in str(list(LogEntry.objects.values())) + str(admin_client.cookies)
    assert text not in str(list(AgentToken.objects.values()))
    assert text not in caplog.text


def test_issuing_a_token_is_logged_by_its_hint(admin_client, agent):
    text = token_in(issue(admin_client, agent))

    assert str(LogEntry.objects.get()).endswith(f"Issued the token {text[:14]}…{text[-4:]}.")


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


def test_an_issued_token_does_not_expire_unless_it_is_asked_for(admin_client, agent):
    page = issue(admin_client, agent)

    assert agent.tokens.first().expires_at is None
    assert "It does not expire." in page.content.decode()


@pytest.mark.parametrize("days", ["0", "-1", "3651", "1.5", "soon"])
def test_what_is_no_number_of_days_issues_nothing(admin_client, agent, days):
    answer = run_action(
        admin_client,
        AGENTS,
        "issue_token",
        agent,
        issue="Issue",
        scopes="read",
        expires_in_days=days,
    )

    assert "expires_in_days" in answer.context["form"].errors
    assert agent.tokens.count() == 1


def test_one_token_is_issued_to_one_agent_at_a_time(admin_client, agent):
    answer = run_action(admin_client, AGENTS, "issue_token", agent, AgentFactory(), issue="Issue")

    assert "Select exactly one agent." in answer.content.decode()
    assert AgentToken.objects.count() == 2


def test_a_revoked_token_is_refused_and_the_others_are_not(admin_client, agent, client, client_of):
    other = AgentToken.objects.issue(agent)

    run_action(admin_client, TOKENS, "revoke", other)

    assert client_of(token=other.text).get(ME).status_code == 401
    assert client.get(ME).status_code == 200


def test_revoking_again_keeps_the_first_time(admin_client, agent):
    run_action(admin_client, TOKENS, "revoke", agent.token)
    first = AgentToken.objects.get().revoked_at

    run_action(admin_client, TOKENS, "revoke", agent.token)

    assert AgentToken.objects.get().revoked_at == first


def test_a_suspended_agent_is_refused_until_it_is_restored(admin_client, agent, client):
    run_action(admin_client, AGENTS, "suspend", agent)
    assert client.get(ME).status_code == 401
    assert client.get(ME).json() == {"error": "Authentication required"}

    run_action(admin_client, AGENTS, "restore", agent)
    assert client.get(ME).status_code == 200


def test_restoring_an_agent_does_not_revive_a_revoked_token(admin_client, agent, client):
    run_action(admin_client, TOKENS, "revoke", agent.token)
    run_action(admin_client, AGENTS, "suspend", agent)
    run_action(admin_client, AGENTS, "restore", agent)

    assert client.get(ME).status_code == 401


@pytest.mark.parametrize("action", ["suspend", "restore"])
def test_what_staff_do_to_an_agent_is_logged(admin_client, agent, action):
    run_action(admin_client, AGENTS, action, agent)

    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.user.username) == (str(agent.pk), "clerk-0")
    assert action in entry.change_message.lower()


def test_a_tier_that_staff_choose_changes_the_limit(admin_client, agent, client, rates):
    rates(install={"free": "1/h", "plus": "3/h"})
    for number in range(6):
        SkillFactory(slug=f"skill-{number}")

    def install(number):
        answer = client.post(INSTALL, {"slug": f"skill-{number}"})
        return answer.status_code, answer.headers["RateLimit-Policy"]

    assert install(0) == (201, '"install";q=1;w=3600')
    assert install(1) == (429, '"install";q=1;w=3600')

    page = admin_client.get(f"{AGENTS}{agent.pk}/change/")
    form = untouched_form(page) | {"tier": "plus"}
    assert admin_client.post(f"{AGENTS}{agent.pk}/change/", form).status_code == 302

    assert [install(number) for number in (2, 3, 4)] == [(201, '"install";q=3;w=3600')] * 3
    assert install(5) == (429, '"install";q=3;w=3600')


def test_only_tiers_that_have_a_rate_can_be_chosen(admin_client, agent, rates):
    rates(install={"free": "1/h", "plus": "3/h"}, review={"free": "1/h", "lab": "3/h"})
    url = f"{AGENTS}{agent.pk}/change/"
    page = admin_client.get(url)

    assert [value for value, _ in page.context["adminform"].form.fields["tier"].choices] == [
        "free",
        "lab",
        "plus",
    ]
    admin_client.post(url, untouched_form(page) | {"tier": "gold"})
    agent.refresh_from_db()
    assert agent.tier == "free"


def test_a_tier_that_lost_its_rate_is_kept(admin_client, rates):
    rates(install={"free": "1/h", "plus": "3/h"})
    agent = AgentFactory(tier="gold")
    url = f"{AGENTS}{agent.pk}/change/"

    assert admin_client.post(url, untouched_form(admin_client.get(url))).status_code == 302

    agent.refresh_from_db()
    assert agent.tier == "gold"


def test_staff_do_not_undo_what_the_agent_changed_meanwhile(admin_client, agent, client, rates):
    rates(install={"free": "1/h", "plus": "3/h"})
    url = f"{AGENTS}{agent.pk}/change/"
    form = untouched_form(admin_client.get(url))
    assert client.patch(ME, {"name": "New Name"}).status_code == 200

    assert admin_client.post(url, form | {"tier": "plus"}).status_code == 302

    agent.refresh_from_db()
    assert (agent.name, agent.tier) == ("New Name", "plus")


def test_a_forged_post_does_not_rename_suspend_or_grant(admin_client, agent, client):
    url = f"{AGENTS}{agent.pk}/change/"
    forged = {
        "handle": "stolen",
        "public_id": "agent_x",
        "suspended_at_0": "2020-01-01",
        "suspended_at_1": "00:00:00",
        "tokens-0-scopes": "admin",
        "tokens-0-digest": "0" * 64,
    }

    assert admin_client.post(url, untouched_form(admin_client.get(url)) | forged).status_code == 302

    profile = client.get(ME).json()
    assert (profile["handle"], profile["agentId"]) == ("caller", agent.public_id)
    assert profile["scopes"] == ["read", "install", "review"]


@pytest.mark.parametrize("spelling", ["{}", "  {}\n"])
def test_a_pasted_token_finds_its_row(admin_client, agent, spelling):
    AgentFactory()

    for page in (TOKENS, AGENTS):
        answer = admin_client.post(f"{page}find/", {"q": spelling.format(agent.token.text)})

        assert answer.status_code == 302
        assert answer.headers["Location"] == f"{TOKENS}{agent.token.pk}/change/"


def test_a_token_in_an_address_finds_nothing(admin_client, agent):
    for page in (TOKENS, AGENTS):
        answer = admin_client.get(page, {"q": agent.token.text})

        assert not answer.context["cl"].result_list
        assert "not into an address" in answer.content.decode()


def test_what_is_no_token_is_searched_for(admin_client, agent):
    answer = admin_client.post(f"{AGENTS}find/", {"q": "caller"})

    assert answer.headers["Location"] == f"{AGENTS}?q=caller"
    assert list(admin_client.get(answer.headers["Location"]).context["cl"].result_list) == [agent]


@pytest.mark.parametrize("part", [slice(0, 14), slice(-4, None)])
def test_the_start_or_end_of_a_token_finds_its_row(admin_client, agent, part):
    AgentFactory()

    page = admin_client.get(TOKENS, {"q": agent.token.text[part]})

    assert list(page.context["cl"].result_list) == [agent.token]


def test_a_pasted_token_that_was_never_issued_finds_nothing(admin_client, agent):
    unknown = AgentToken.objects.issue(agent)
    unknown.delete()

    answer = admin_client.post(f"{TOKENS}find/", {"q": unknown.text}, follow=True)
    assert "No agent has this token." in answer.content.decode()
    assert unknown.text not in answer.content.decode()
    assert not admin_client.get(TOKENS, {"q": agent.token.text[:-1]}).context["cl"].result_list


def test_an_agent_that_installed_or_reviewed_cannot_be_deleted(admin_client, agent, client):
    install = SkillInstallFactory(agent=agent, skill=SkillFactory(downloads=1))
    persona = PersonaFactory()
    review(agent, persona, 4)

    assert admin_client.post(f"{AGENTS}{agent.pk}/delete/", {"post": "yes"}).status_code == 403
    run_action(admin_client, AGENTS, "delete_selected", agent, post="yes", follow=False)

    assert client.get(ME).json()["counts"] == {"skills": 1, "personas": 1, "reviews": 1}
    install.skill.refresh_from_db()
    persona.refresh_from_db()
    assert (install.skill.downloads, persona.rating_count) == (1, 1)


def test_a_released_claim_can_be_claimed_anew(admin_client, agent, client, anyone):
    code = agent.claim.request_code(name="Ada Lovelace", email="ada@example.com")
    assert client.post(f"{ME}/confirm-claim", {"code": code}).status_code == 200
    old = client.get(ME).json()["claim"]["claimUrl"]

    run_action(admin_client, AGENTS, "release_claim", agent)

    claim = client.get(ME).json()["claim"]
    assert (claim["status"], claim["operator"], claim["claimedAt"]) == ("unclaimed", None, None)
    assert claim["claimUrl"] != old
    assert anyone.get(old).status_code == 404
    assert client.post(f"{ME}/confirm-claim", {"code": code}).status_code == 400
    assert "Released the claim of Ada Lovelace." in str(LogEntry.objects.latest("pk"))


def test_an_agents_page_shows_what_it_has(admin_client, agent):
    skill = SkillInstallFactory(agent=agent).skill
    persona = PersonaFactory()
    review(agent, persona, 4)
    agent.claim.request_code(name="Ada Lovelace", email="ada@example.com")

    text = admin_client.get(f"{AGENTS}{agent.pk}/change/").content.decode()

    for shown in (skill.slug, persona.slug, "4.00", agent.token.hint, "Ada Lovelace", "Pending"):
        assert shown in text


def test_a_suspension_needs_a_reason_that_staff_see(admin_client, agent, client):
    run_action(admin_client, AGENTS, "suspend", agent, reason="")
    assert client.get(ME).status_code == 200

    run_action(admin_client, AGENTS, "suspend", agent, reason="It floods.")
    assert client.get(ME).status_code == 401
    assert "It floods." in admin_client.get(f"{AGENTS}{agent.pk}/change/").content.decode()

    run_action(admin_client, AGENTS, "restore", agent)
    agent.refresh_from_db()
    assert (agent.suspended_at, agent.suspension_reason) == (None, "")


def test_a_page_of_a_row_offers_what_would_change_it(admin_client, agent):
    def offered():
        text = admin_client.get(f"{AGENTS}{agent.pk}/change/").content.decode()
        return set(re.findall(rf"{AGENTS}{agent.pk}/do/(\w+)/", text))

    assert offered() == {"issue_token", "suspend"}
    agent.suspend("It floods.")
    agent.claim.request_code(name="Ada Lovelace", email="ada@example.com")
    assert offered() == {"issue_token", "restore", "release_claim"}


@pytest.mark.parametrize("asked", ["get", "unconfirmed"])
@pytest.mark.parametrize("action", ["suspend", "restore", "release_claim"])
def test_nothing_happens_before_it_is_confirmed(admin_client, agent, action, asked):
    url = f"{AGENTS}{agent.pk}/do/{action}/"
    secret = agent.claim.secret

    page = (
        admin_client.get(url)
        if asked == "get"
        else admin_client.post(url, {"reason": "It floods."})
    )

    assert page.status_code == 200
    agent.refresh_from_db()
    agent.claim.refresh_from_db()
    assert (agent.suspended_at, agent.claim.secret) == (None, secret)
    assert not LogEntry.objects.exists()


def test_an_action_that_is_none_is_refused(admin_client, agent):
    assert admin_client.get(f"{AGENTS}{agent.pk}/do/delete_everything/").status_code == 403
    assert admin_client.get(f"{AGENTS}0/do/suspend/").status_code == 404
    assert admin_client.get(f"{AGENTS}x/do/suspend/").status_code == 404
