"""Superusers delete an agent by the rule of the console (contract 19.22)"""

import pytest

from installs.models import SkillInstall
from tests.admin.actions import take_action, told
from tests.admin.rows import change_page
from tests.factories import PersonaFactory, SkillInstallFactory, review

ME = "/api/v1/agents/me"

pytestmark = pytest.mark.contract("19.22")


def test_staff_delete_one_and_never_bring_it_back(admin_client, clerk_with, agent, client):
    review(agent, PersonaFactory(), 5, "Mine.")
    moderator = clerk_with("view_agent", "change_agent")
    assert "delete_agents" not in moderator.get(change_page(agent)).content.decode()
    take_action(moderator, "delete_agents", agent)
    assert client.get(ME).status_code == 200

    page = take_action(admin_client, "delete_agents", agent)

    assert told(page) == ["Deleted: caller."]
    assert client.get(ME).status_code == 401
    text = admin_client.get(change_page(agent)).content.decode()
    for action in ("restore", "issue_token", "delete_agents", "suspend", "release_claim"):
        assert f"/do/{action}/" not in text
    take_action(admin_client, "restore", agent)
    agent.refresh_from_db()
    assert agent.state == "deleted"
    assert agent.reviews.get().comment == ""
    assert agent.history.first().history_change_reason == "Deleted."


def test_an_agent_without_an_operator_is_deleted_too(admin_client, agent, client):
    SkillInstallFactory(agent=agent)

    take_action(admin_client, "delete_agents", agent)

    assert client.get(ME).status_code == 401
    assert not SkillInstall.objects.present().exists()
