"""An earlier state of a row is restored from its history"""

from agents.models import Agent, AgentToken
from catalogue.models import Persona, Skill
from reviews.models import Review
from tests.admin.actions import take_action
from tests.admin.histories import edit, history, restore
from tests.browser import untouched_form
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
)

API = "/api/v1"
MODELS = [Skill, Persona, Agent, AgentToken, Review]


def test_an_earlier_state_is_restored(admin_client, anyone):
    skill = SkillFactory(slug="pdf-tables", title="Old", tags=["pdf"], downloads=3)
    edit(admin_client, skill, title="New", tags="csv,data")
    Skill.objects.update(downloads=7)

    restore(admin_client, skill, skill.history.last())

    served = anyone.get(f"{API}/skills/pdf-tables").json()
    assert (served["title"], served["tags"], served["downloads"]) == ("Old", ["pdf"], 7)
    assert skill.history.first().history_change_reason.startswith("Restored the state of")


def test_restoring_a_snapshot_is_confirmed_with_a_comparison(admin_client):
    skill = SkillFactory(title="Old", slug="pdf-tables")
    edit(admin_client, skill, title="New")
    snapshot = skill.history.last()
    url = f"/admin/catalogue/skill/{skill.pk}/history/{snapshot.history_id}/"

    page = admin_client.get(url)
    skill.refresh_from_db()

    text = page.content.decode()
    assert page.status_code == 200
    assert skill.title == "New"
    assert skill.history.count() == 2
    assert '<span class="del">New</span><span class="add">Old</span>' in text
    assert f'<a class="staff-button" href="/admin/catalogue/skill/{skill.pk}/history/">' in text

    confirmed = admin_client.post(url, untouched_form(page) | {"confirmed": "yes"})
    skill.refresh_from_db()

    assert (confirmed.status_code, skill.title) == (302, "Old")


def test_a_bundle_is_restored(admin_client):
    one, two = SkillFactory(slug="one"), SkillFactory(slug="two")
    persona = PersonaFactory(skills=[one])
    edit(admin_client, persona, skills=[two.pk])
    assert '<span class="del">one</span><span class="add">two</span>' in (
        history(admin_client, persona).content.decode()
    )

    restore(admin_client, persona, persona.history.last())

    assert list(persona.skills.all()) == [one]


def test_an_agents_tier_is_restored_and_nothing_that_the_agent_changed(admin_client):
    agent = AgentFactory(tier="plus")
    url = f"/admin/agents/agent/{agent.pk}/change/"
    admin_client.post(url, untouched_form(admin_client.get(url)) | {"tier": "free"})
    agent.refresh_from_db()
    assert agent.tier == "free"
    agent.change(name="New Name")

    restore(admin_client, agent, agent.history.last())

    assert (agent.tier, agent.name) == ("plus", "New Name")


def test_restoring_does_not_publish(admin_client):
    skill = SkillFactory(title="Old")
    edit(admin_client, skill, title="New")
    take_action(admin_client, "recall", skill, reason="It deletes logs.")

    restore(admin_client, skill, skill.history.last())

    assert (skill.title, skill.status) == ("Old", "withdrawn")


def test_a_slug_that_is_taken_meanwhile_is_not_restored(admin_client):
    skill = SkillFactory(slug="old")
    edit(admin_client, skill, slug="new")
    SkillFactory(slug="old")

    response = restore(admin_client, skill, skill.history.last())

    assert "already exists" in response.content.decode()
    assert skill.slug == "new"


def test_a_state_of_another_row_is_refused(admin_client):
    skill, other = SkillFactory(), SkillFactory(title="Other")
    edit(admin_client, other, title="New")

    url = f"/admin/catalogue/skill/{skill.pk}/history/"
    for snapshot in (other.history.last().pk, "9" * 5000, "last"):
        response = admin_client.post(f"{url}{snapshot}/", {"confirmed": "yes"})
        assert response.status_code == 404


def test_the_present_state_is_not_restored(admin_client):
    skill = SkillFactory(title="Old")
    edit(admin_client, skill, title="New")

    response = restore(admin_client, skill, skill.history.first())

    assert "It is already in this state." in response.content.decode()
    assert skill.history.count() == 2


def test_tokens_and_reviews_have_a_history_without_a_way_back(admin_client, agent):
    take_action(admin_client, "revoke", agent.token)

    text = history(admin_client, agent.token).content.decode()
    assert "Revoked." in text
    assert agent.token.digest not in text
    url = f"/admin/agents/agenttoken/{agent.token.pk}/history/{agent.token.history.last().pk}/"
    assert url not in text
    assert admin_client.get(url).status_code == 403
    assert admin_client.post(url, {"confirmed": "yes"}).status_code == 403


def test_restoring_needs_the_permission_to_change(admin_client, clerk_with):
    skill = SkillFactory(title="Old")
    edit(admin_client, skill, title="New")
    url = f"/admin/catalogue/skill/{skill.pk}/history/{skill.history.last().pk}/"
    looking = clerk_with("view_skill")

    assert url in history(admin_client, skill).content.decode()
    assert url not in history(looking, skill).content.decode()
    assert looking.post(url, {"confirmed": "yes"}).status_code == 403
    skill.refresh_from_db()
    assert skill.title == "New"
