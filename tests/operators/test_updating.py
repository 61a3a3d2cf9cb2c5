"""One skill is updated on all agents that the list shows (contract 19.24)"""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import AuditEvent
from catalogue.models import Skill
from installs.models import SkillInstall
from operators import updating
from tests.browser import untouched_form
from tests.factories import AgentFactory, SkillFactory, claim
from tests.operators.conftest import publish, seen
from tests.operators.pages import told
from tests.operators.test_console import text_of

PATH = "/operator/update-skill/tables?skill=tables"


def numbers():
    """`{handle: (number, pinned number)}` of the skill."""
    rows = SkillInstall.objects.present().filter(skill__slug="tables")
    columns = ["number", "pinned__number"]
    return {handle: rest for handle, *rest in rows.values_list("agent__handle", *columns)}


BEFORE = {"ant": [1, None], "bee": [1, 1], "cat": [2, None]}


@pytest.mark.contract("19.24")
def test_the_agents_of_the_list_are_updated_and_pins_move(console, holders):
    holders["ant"].pause()
    assert "Update tables on 2 agents" in text_of(console.get("/operator?skill=tables"))
    text = text_of(console.get(PATH))
    assert (
        "Update tables to version 2? From now on each agent uses version 2 of tables , the newest. "
        "Pins move to it. This changes 2 agents: ant version 1 → 2 bee version 1 → 2, pinned "
        "Left out, because they use version 2 already: cat. Update tables to version 2 Cancel"
    ) in text
    assert numbers() == BEFORE

    response = console.submit(PATH)

    assert (response.status_code, response["Location"]) == (302, "/operator?skill=tables")
    assert numbers() == BEFORE | {"ant": [2, None], "bee": [2, 2]}
    assert told(console.get("/operator")) == ["Updated tables to version 2: ant, bee."]
    assert "Update tables on" not in text_of(console.get("/operator?skill=tables"))
    newest = holders["bee"].history.first()
    recorded = newest.operator, newest.history_change_reason
    assert recorded == ("Ada Lovelace", "Updated tables to version 2.")
    assert holders["cat"].history.count() == 1  # its claim
    [event] = AuditEvent.objects.filter(action="update_skill")
    recorded = event.actor_kind, event.actor_name, event.object_kind, event.details
    done = {"count": 2, "names": ["ant", "bee"], "message": "Updated tables to version 2."}
    assert recorded == ("operator", "Ada Lovelace", "agent", done)


def test_what_an_agent_has_changed_itself_is_not_the_operators_doing(console, holders):
    holders["ant"].change_own(name="Ant")

    console.submit(PATH)

    done, own, _ = holders["ant"].history.all()
    assert (own.name, own.history_change_reason) == ("Ant", "Snapshot before the change")
    assert (done.name, done.operator) == ("Ant", "Ada Lovelace")


def test_the_number_of_statements_does_not_grow(console, holders, key):
    def statements():
        SkillInstall.objects.filter(skill__slug="tables").update(number=1)
        with CaptureQueriesContext(connection) as queries:
            console.submit(PATH)
        return len(queries)

    before = statements()
    for _ in range(3):
        other = AgentFactory()
        claim(other, key=key)
        SkillInstall.objects.install(other, "tables")

    assert statements() == before


@pytest.mark.contract("19.24")
def test_the_filter_decides_which_agents(console, holders, stranger):
    seen(holders["bee"], hours=1)
    theirs = AgentFactory(handle="theirs")
    claim(theirs)
    SkillInstall.objects.install(theirs, "tables", version=1)

    console.submit(f"{PATH}&seen=day")

    assert numbers() == BEFORE | {"bee": [2, 2], "theirs": [1, 1]}
    assert "There is nothing to change." in text_of(stranger.get(PATH))


@pytest.mark.contract("19.24")
def test_only_what_the_page_showed_is_changed(console, holders, key):
    form = untouched_form(console.get(PATH))
    late = AgentFactory(handle="late")
    claim(late, key=key)
    SkillInstall.objects.install(late, "tables", version=1)
    SkillInstall.objects.filter(agent=holders["ant"]).update(removed_at="2026-01-01T00:00Z")

    assert console.post(PATH, form).status_code == 302

    assert numbers() == {"bee": [2, 2], "cat": [2, None], "late": [1, 1]}
    publish(Skill.objects.get(slug="tables"), "Three.")
    for fields in (form, {**form, "number": "\0", "agents": "\0"}, {}):
        page = console.post(PATH, {"csrfmiddlewaretoken": form["csrfmiddlewaretoken"], **fields})
        text = text_of(page)
        assert "Nothing was changed, because this is not what you confirmed." in text
        assert "Update tables to version 3?" in text
    assert numbers() == {"bee": [2, 2], "cat": [2, None], "late": [1, 1]}


@pytest.mark.contract("19.24")
def test_an_agent_that_the_operator_can_only_view_is_left_out(console, holders):
    form = untouched_form(console.get(PATH))
    holders["bee"].claim.scopes = ["read"]
    holders["bee"].claim.save()

    assert "Update tables on 1 agent " in text_of(console.get("/operator?skill=tables"))
    console.post(PATH, form)

    assert numbers() == BEFORE | {"ant": [2, None]}


def test_the_rest_of_many_agents_comes_next(console, holders, monkeypatch):
    monkeypatch.setattr(updating, "MAX_AT_ONCE", 1)

    text = text_of(console.get(PATH))
    assert "This changes 1 agent (the first ones: do this again for the others): ant" in text
    console.submit(PATH)
    console.submit(PATH)

    assert numbers() == BEFORE | {"ant": [2, None], "bee": [2, 2]}


def test_what_is_no_skill_of_the_list_is_not_found(console, holders, rates):
    SkillFactory(slug="draft", status="draft")

    for path in ("tables", "tables?skill=other", "draft?skill=draft", "unknown?skill=unknown"):
        assert console.get(f"/operator/update-skill/{path}").status_code == 404, path
    rates(manage="1/h")
    assert console.submit(PATH).status_code == 302
    assert console.post(PATH, untouched_form(console.get(PATH))).status_code == 429
