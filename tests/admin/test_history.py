"""The history of what staff changed, with diffs and a way back; the API takes no snapshots"""

import re
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Agent, AgentToken
from catalogue.models import Persona, Skill
from reviews.models import Review
from tests.admin.actions import take_action
from tests.admin.diffs import without_marks
from tests.browser import untouched_form
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
)

API = "/api/v1"
MODELS = [Skill, Persona, Agent, AgentToken, Review]


def edit(admin_client, entry, **fields):
    url = f"/admin/catalogue/{entry._meta.model_name}/{entry.pk}/change/"
    response = admin_client.post(url, untouched_form(admin_client.get(url)) | fields)
    assert response.status_code == 302, response.context["errors"]
    entry.refresh_from_db()


def history(admin_client, row):
    options = row._meta
    page = admin_client.get(f"/admin/{options.app_label}/{options.model_name}/{row.pk}/history/")
    assert page.status_code == 200
    return page


def restore(admin_client, row, snapshot):
    options = row._meta
    url = f"/admin/{options.app_label}/{options.model_name}/{row.pk}/history/"
    response = admin_client.post(f"{url}{snapshot.history_id}/", {"confirmed": "yes"}, follow=True)
    row.refresh_from_db()
    return response


def test_what_agents_and_commands_do_is_in_no_history(anyone, client_of, tmp_path):
    folder = tmp_path / "pdf-tables"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: pdf-tables\n---\nDo it.\n")
    call_command("import_skills", tmp_path)
    PersonaFactory(slug="archivist")
    client = client_of(token=anyone.post(f"{API}/agents/register").json()["token"])
    for method, path, body in [
        ("patch", "agents/me", {"name": "New"}),
        ("post", "agents/me/skills/install", {"slug": "pdf-tables"}),
        ("post", "agents/me/personas/install", {"slug": "archivist"}),
        ("post", "agents/me/reviews", {"personaSlug": "archivist", "rating": 4}),
        ("post", "agents/me/reviews", {"personaSlug": "archivist", "rating": 5}),
    ]:
        assert getattr(client, method)(f"{API}/{path}", body).status_code < 300
    call_command("issue_token", Agent.objects.get().handle)

    assert {model.__name__: model.history.count() for model in MODELS} == {
        model.__name__: 0 for model in MODELS
    }


def test_an_edit_takes_a_snapshot_before_and_after(admin_client):
    skill = SkillFactory(title="Old")

    edit(admin_client, skill, title="New")

    after, before = skill.history.all()
    assert (before.title, before.history_user) == ("Old", None)
    assert (after.title, after.history_user.username) == ("New", "clerk-0")


def test_the_snapshot_before_the_first_edit_has_the_date_of_the_last_change(admin_client):
    skill = SkillFactory(title="Old")
    imported = timezone.now() - timedelta(days=3)
    Skill.objects.update(updated_at=imported)

    edit(admin_client, skill, title="New")

    after, before = skill.history.all()
    assert before.history_date == imported
    assert after.history_date == pytest.approx(timezone.now(), abs=timedelta(minutes=1))
    assert f"{imported:%H:%M:%S}" in history(admin_client, skill).content.decode()


def test_the_snapshots_of_a_token_differ_in_their_dates(admin_client, agent):
    take_action(admin_client, "revoke", agent.token)

    after, before = agent.token.history.all()
    assert before.history_date == agent.token.created_at < after.history_date


def test_another_edit_takes_one_snapshot_more(admin_client):
    skill = SkillFactory()
    for title in ("One", "Two"):
        edit(admin_client, skill, title=title)

    assert [snapshot.title for snapshot in skill.history.all()][:2] == ["Two", "One"]
    assert skill.history.count() == 3


def test_what_an_import_changed_between_two_edits_has_a_snapshot_of_its_own(admin_client):
    skill = SkillFactory(title="Old", version="1")
    edit(admin_client, skill, title="New")
    Skill.objects.update(version="2")

    edit(admin_client, skill, title="Newer")

    assert [(snapshot.title, snapshot.version) for snapshot in skill.history.all()] == [
        ("Newer", "2"),
        ("New", "2"),
        ("New", "1"),
        ("Old", "1"),
    ]


def test_an_untouched_form_takes_no_snapshot(admin_client):
    skill = SkillFactory()

    edit(admin_client, skill)

    assert skill.history.count() == 0


def test_the_page_shows_who_and_the_changed_lines(admin_client):
    skill = SkillFactory(slug="pdf-tables", title="Old title", content="Old")
    content = "---\nname: pdf-tables\ndescription: Reads.\n---\n\nOne.\n\nTwo.\n"
    edit(admin_client, skill, title="New title", content=content)
    edit(admin_client, skill, content=content.replace("Two", "Three"))

    text = without_marks(history(admin_client, skill))

    assert "clerk-0" in text
    assert '<span class="del">Old title</span><span class="add">New title</span>' in text
    assert '<span class="del">Two.</span><span class="add">Three.</span>' in text
    assert '<span class="same">One.</span>' in text


def test_an_earlier_state_is_restored(admin_client, anyone):
    skill = SkillFactory(slug="pdf-tables", title="Old", tags=["pdf"], downloads=3)
    edit(admin_client, skill, title="New", tags="csv,data")
    Skill.objects.update(downloads=7)

    restore(admin_client, skill, skill.history.last())

    served = anyone.get(f"{API}/skills/pdf-tables").json()
    assert (served["title"], served["tags"], served["downloads"]) == ("Old", ["pdf"], 7)
    assert skill.history.first().history_change_reason.startswith("Restored the state of")


def test_restoring_is_confirmed_first_and_shows_what_it_would_change(admin_client):
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


@pytest.mark.parametrize("pk", ["0", "9" * 50, "none"])
def test_what_does_not_exist_has_no_history(admin_client, pk):
    assert admin_client.get(f"/admin/catalogue/skill/{pk}/history/").status_code == 404


def test_the_present_state_is_not_restored(admin_client):
    skill = SkillFactory(title="Old")
    edit(admin_client, skill, title="New")

    response = restore(admin_client, skill, skill.history.first())

    assert "It is in this state already." in response.content.decode()
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


def test_no_snapshot_holds_a_digest_or_a_counter():
    columns = {model: {f.name for f in model.history.model._meta.fields} for model in MODELS}

    assert not columns[AgentToken] & {"digest", "last_used_at"}
    assert not columns[Skill] & {"downloads", "context_tokens"}
    assert not columns[Persona] & {"installs", "rating_sum", "rating_count", "rating_avg"}


def test_a_suspension_is_in_the_history_with_its_reason(admin_client):
    agent = AgentFactory()

    take_action(admin_client, "suspend", agent, reason="It floods.")
    take_action(admin_client, "restore", agent)

    reasons = [snapshot.history_change_reason for snapshot in agent.history.all()]
    assert reasons == ["Restored.", "Suspended: It floods.", "Snapshot before the change"]


@pytest.mark.parametrize("make", [SkillFactory, PersonaFactory])
def test_a_deletion_takes_a_snapshot(admin_client, make):
    entry = make(status="draft")
    model, pk = type(entry), entry.pk
    kind = model._meta.model_name

    admin_client.post(f"/admin/catalogue/{kind}/{pk}/delete/", {"post": "yes"})

    gone = model.history.get(id=pk, history_type="-")
    assert (gone.slug, gone.history_user.username) == (entry.slug, "clerk-0")


def test_long_histories_have_pages(admin_client):
    skill = SkillFactory()
    for number in range(12):
        edit(admin_client, skill, title=f"Title {number}")

    first = without_marks(history(admin_client, skill))
    second = without_marks(admin_client.get(f"/admin/catalogue/skill/{skill.pk}/history/?p=2"))

    titles = [f"Title {number}" for number in range(11, -1, -1)]
    assert re.findall(r'class="add">(Title \d+)', first) == titles[:10]
    assert re.findall(r'class="add">(Title \d+)', second) == titles[10:]


def test_a_history_needs_no_more_queries_for_more_related_rows(admin_client):
    def queries(number):
        persona = PersonaFactory()
        edit(
            admin_client, persona, skills=[skill.pk for skill in SkillFactory.create_batch(number)]
        )
        with CaptureQueriesContext(connection) as queries:
            history(admin_client, persona)
        return len(queries)

    assert queries(1) == queries(30)
