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
from tests.admin.histories import edit, history
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
)

API = "/api/v1"
MODELS = [Skill, Persona, Agent, AgentToken, Review]


def test_agents_and_commands_take_no_snapshots(anyone, client_of, tmp_path):
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


def test_an_import_between_two_edits_has_its_own_snapshot(admin_client):
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


@pytest.mark.parametrize("pk", ["0", "9" * 50, "none"])
def test_the_history_of_a_missing_row_is_not_found(admin_client, pk):
    assert admin_client.get(f"/admin/catalogue/skill/{pk}/history/").status_code == 404


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
    skill.take_snapshot()
    for number in range(12):
        skill.title = f"Title {number}"
        skill.save()
        skill.take_snapshot()

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
