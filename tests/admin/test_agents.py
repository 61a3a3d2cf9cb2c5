"""Staff look after agents in the admin: suspend and restore them, change tiers, release claims"""

import re

import pytest
from django.contrib.admin.models import LogEntry

from agents.models import Agent
from tests.admin.actions import take_action, told
from tests.browser import untouched_form
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    ask_for_code,
    claim,
    review,
)

AGENTS = "/admin/agents/agent/"
ME = "/api/v1/agents/me"
INSTALL = "/api/v1/agents/me/skills/install"


@pytest.mark.contract("4.13")
def test_a_suspended_agent_is_refused_until_it_is_restored(admin_client, agent, client):
    take_action(admin_client, "suspend", agent, reason="It floods.")
    assert client.get(ME).status_code == 401
    assert client.get(ME).json() == {"error": "Authentication required"}

    take_action(admin_client, "restore", agent)
    assert client.get(ME).status_code == 200


@pytest.mark.parametrize("action", ["suspend", "restore"])
def test_suspending_and_restoring_are_logged(admin_client, agent, action):
    if action == "restore":
        agent.suspend("It floods.")

    take_action(admin_client, action, agent, reason="It floods.")

    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.user.username) == (str(agent.pk), "clerk-0")
    assert action in entry.change_message.lower()


def test_an_agent_that_is_not_suspended_is_not_restored(admin_client, agent):
    page = take_action(admin_client, "restore", agent)

    assert told(page) == ['Nothing to do: "Restore" applies to none of these.']
    assert not LogEntry.objects.exists()


def test_a_tier_that_staff_choose_changes_the_limit(admin_client, agent, client, rates):
    rates(install={"free": "1/h", "plus": "3/h"})
    for number in range(6):
        SkillFactory(slug=f"skill-{number}")

    def install(number):
        response = client.post(INSTALL, {"slug": f"skill-{number}"})
        return response.status_code, response.headers["RateLimit-Policy"]

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


def test_a_tier_that_lost_its_rate_stays(admin_client, rates):
    rates(install={"free": "1/h", "plus": "3/h"})
    agent = AgentFactory(tier="gold")
    url = f"{AGENTS}{agent.pk}/change/"

    assert admin_client.post(url, untouched_form(admin_client.get(url))).status_code == 302

    agent.refresh_from_db()
    assert agent.tier == "gold"


def test_a_form_that_is_saved_unchanged_moves_nothing(admin_client, agent):
    agent.refresh_from_db()
    url = f"{AGENTS}{agent.pk}/change/"

    assert admin_client.post(url, untouched_form(admin_client.get(url))).status_code == 302

    assert Agent.objects.get().updated_at == agent.updated_at
    assert not agent.history.exists()


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


def test_an_agent_that_installed_or_reviewed_cannot_be_deleted(admin_client, agent, client):
    install = SkillInstallFactory(agent=agent, skill=SkillFactory(downloads=1))
    persona = PersonaFactory()
    review(agent, persona, 4)

    assert admin_client.post(f"{AGENTS}{agent.pk}/delete/", {"post": "yes"}).status_code == 403
    take_action(admin_client, "delete_selected", agent, post="yes")

    assert client.get(ME).json()["counts"] == {"skills": 1, "personas": 1, "reviews": 1}
    install.skill.refresh_from_db()
    persona.refresh_from_db()
    assert (install.skill.downloads, persona.rating_count) == (1, 1)


@pytest.mark.contract("19.16")
def test_a_released_claim_can_be_claimed_anew(admin_client, agent, client, anyone):
    code = ask_for_code(agent)
    assert client.post(f"{ME}/confirm-claim", {"code": code}).status_code == 200
    old = client.get(ME).json()["claim"]["claimUrl"]

    take_action(admin_client, "release_claim", agent)

    claim = client.get(ME).json()["claim"]
    assert (claim["status"], claim["operator"], claim["claimedAt"]) == ("unclaimed", None, None)
    assert claim["claimUrl"] != old
    assert anyone.get(old).status_code == 404
    assert client.post(f"{ME}/confirm-claim", {"code": code}).status_code == 400
    assert "Released the claim of Ada Lovelace." in str(LogEntry.objects.latest("pk"))


def test_an_agent_that_nobody_has_claimed_gets_a_new_claim_url(admin_client, agent, client, anyone):
    url = f"{AGENTS}{agent.pk}/do/release_claim/"
    assert url in admin_client.get(f"{AGENTS}{agent.pk}/change/").content.decode()
    old = client.get(ME).json()["claim"]["claimUrl"]

    admin_client.post(url, {"confirmed": "yes"})

    assert client.get(ME).json()["claim"]["claimUrl"] != old
    assert anyone.get(old).status_code == 404
    assert "Replaced the claim URL." in str(LogEntry.objects.get())


def test_an_agents_page_shows_what_it_has(admin_client, agent):
    skill = SkillInstallFactory(agent=agent).skill
    persona = PersonaFactory()
    review(agent, persona, 4)
    ask_for_code(agent)

    text = admin_client.get(f"{AGENTS}{agent.pk}/change/").content.decode()

    for fact in (skill.slug, persona.slug, "4.00", agent.token.hint, "Ada Lovelace", "Pending"):
        assert fact in text


def test_a_suspension_needs_a_reason_that_staff_see(admin_client, agent, client):
    take_action(admin_client, "suspend", agent, reason="")
    assert client.get(ME).status_code == 200

    take_action(admin_client, "suspend", agent, reason="It floods.")
    assert client.get(ME).status_code == 401
    assert "It floods." in admin_client.get(f"{AGENTS}{agent.pk}/change/").content.decode()

    take_action(admin_client, "restore", agent)
    agent.refresh_from_db()
    assert (agent.suspended_at, agent.suspension_reason) == (None, "")


def test_a_page_of_a_row_offers_what_would_change_it(admin_client, agent):
    def offered():
        text = admin_client.get(f"{AGENTS}{agent.pk}/change/").content.decode()
        return set(re.findall(rf"{AGENTS}{agent.pk}/do/(\w+)/", text))

    always = {"issue_token", "release_claim", "raise_limit", "delete_agents"}
    assert offered() == {*always, "suspend"}
    agent.suspend("It floods.")
    assert offered() == {*always, "restore"}


def test_an_agent_that_its_operator_paused_is_shown_as_paused(admin_client, agent):
    claim(agent)
    agent.pause()
    AgentFactory(handle="working")

    listed = admin_client.get(AGENTS).content.decode()
    assert re.findall('class="state .*?">(.*?)</span>(?: .*>(.*) [0-9]+:)?', listed) == [
        ("active", ""),
        ("paused", f"by its operator since {agent.paused_at:%-d %b %Y},"),
    ]
    page = admin_client.get(f"{AGENTS}{agent.pk}/change/").content.decode()
    since = f"{agent.paused_at:%-d %B %Y, %H:%M}"
    assert f"by its operator since {since}: its tokens do not work" in page
    agent.suspend("It floods.")
    assert "state-suspended" in admin_client.get(AGENTS).content.decode()


def test_the_list_can_show_the_paused_ones_alone(admin_client, agent):
    AgentFactory()
    agent.pause()

    page = admin_client.get(AGENTS, {"paused_at": "yes"})

    assert list(page.context["cl"].result_list) == [agent]


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("action", ["suspend", "restore", "release_claim"])
def test_nothing_happens_before_it_is_confirmed(admin_client, agent, action, method):
    if action == "restore":
        agent.suspend("It floods.")
    url = f"{AGENTS}{agent.pk}/do/{action}/"
    before = (agent.suspended_at, agent.claim.secret)

    page = (
        admin_client.get(url)
        if method == "get"
        else admin_client.post(url, {"reason": "It floods."})
    )

    assert page.status_code == 200
    agent.refresh_from_db()
    agent.claim.refresh_from_db()
    assert (agent.suspended_at, agent.claim.secret) == before
    assert not LogEntry.objects.exists()


def test_an_action_that_is_none_is_refused(admin_client, agent):
    assert admin_client.get(f"{AGENTS}{agent.pk}/do/delete_everything/").status_code == 403
    assert admin_client.get(f"{AGENTS}0/do/suspend/").status_code == 404
    assert admin_client.get(f"{AGENTS}x/do/suspend/").status_code == 404
