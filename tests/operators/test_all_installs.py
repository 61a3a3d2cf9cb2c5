"""Pinning, unpinning and updating all that an agent has, in the console (contract 19.18)"""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Agent
from catalogue.models import Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.operators.pages import told
from tests.operators.test_action_effects import history
from tests.operators.test_console import text_of

HOME = "/operator/agents/caller"
ME = "/api/v1/agents/me"
KINDS = {"skill": (SkillInstall, SkillFactory), "persona": (PersonaInstall, PersonaFactory)}
OLDER = f"sha256:{'0' * 64}"  # of a text that no version has
NOTHING = "There is nothing to change."


def rewrite(entry, text="Another text."):
    entry.content = text
    entry.save()


def install(agent, kind, slug, *, version=None, newer=1):
    """Install an entry with versions after the one that is installed; returns the entry."""
    installs, factory = KINDS[kind]
    entry = factory(slug=slug)
    installs.objects.install(agent, slug, version=version)
    for number in range(newer):
        rewrite(entry, f"Text {number}.")
    return entry


@pytest.fixture
def has(agent):
    """What the agent has: something of each sort."""
    install(agent, "skill", "current", newer=0)
    install(agent, "skill", "outdated")
    install(agent, "skill", "pinned", version=1, newer=2)
    install(agent, "persona", "clerk")
    install(agent, "persona", "gone", version=1).withdraw()
    install(agent, "skill", "older")
    SkillInstall.objects.filter(skill__slug="older").update(installed_digest=OLDER, number=None)
    recalled = install(agent, "skill", "recalled")
    recalled.versions.filter(number=1).update(recalled_at=timezone.now(), recall_reason="Unsafe.")


def stored():
    """`{slug: (number, the pinned number)}` of all that is installed."""
    return {
        getattr(row, kind).slug: (row.number, row.pinned and row.pinned.number)
        for kind, (installs, _) in KINDS.items()
        for row in installs.objects.present().select_related(kind, "pinned")
    }


BEFORE = {
    "current": (1, None),
    "outdated": (1, None),
    "pinned": (1, 1),
    "older": (None, None),
    "recalled": (1, None),
    "clerk": (1, None),
    "gone": (1, 1),
}


def given(client):
    """`{slug: (number, pinned, updateAvailable)}` of all, as the agent reads it."""
    rows = [
        row
        for path in ("skills", "personas")
        for row in client.get(f"{ME}/{path}").json()["results"]
    ]
    return {row["slug"]: (row["number"], row["pinned"], row["updateAvailable"]) for row in rows}


def question(console, action):
    """What the page says, from its heading to its end."""
    text = text_of(console.get(f"{HOME}/{action}"))
    return text[text.index(f"{action.partition('-')[0].capitalize()} everything that") :].partition(
        " For agents:"
    )[0]


@pytest.mark.contract("19.18")
def test_all_are_updated_and_pins_move(console, client, agent, has):
    assert stored() == BEFORE
    assert question(console, "update-all") == (
        "Update everything that caller has? From now on the agent uses the newest version of each. "
        "Pins move to it. This changes 4 skills and 1 persona older version 2 "
        "outdated version 1 → 2 pinned version 1 → 3 recalled version 1 → 2 clerk version 1 → 2 "
        "Left out: 1 withdrawn gone persona Update all Cancel"
    )

    console.submit(f"{HOME}/update-all")

    assert stored() == BEFORE | {
        "outdated": (2, None),
        "pinned": (3, 3),
        "older": (2, None),
        "recalled": (2, None),
        "clerk": (2, None),
    }
    assert given(client) == {
        "current": (1, False, False),
        "outdated": (2, False, False),
        "pinned": (3, True, False),
        "older": (2, False, False),
        "recalled": (2, False, False),
        "clerk": (2, False, False),
        "gone": (None, True, False),
    }
    for kind, (installs, _) in KINDS.items():
        current = installs.objects.of_published().values_list("installed_digest", f"{kind}__digest")
        assert all(used == newest for used, newest in current)
    assert told(console.get(HOME)) == ["Updated 4 skills and 1 persona of caller."]
    assert history(agent)[0] == ("Ada Lovelace", "Updated 4 skills and 1 persona.")


@pytest.mark.contract("19.18")
def test_a_recalled_entry_is_left_out_as_recalled(console, agent):
    install(agent, "persona", "clerk").recall("Unsafe.")

    assert "Left out: 1 recalled clerk persona" in question(console, "update-all")


@pytest.mark.contract("19.18")
def test_all_are_pinned_where_they_are(console, client, agent, has):
    assert question(console, "pin-all") == (
        "Pin everything that caller has? The agent keeps the version of each that it uses now, "
        "even when newer ones are published. Existing pins stay where they are. "
        "This changes 2 skills and 1 persona current version 1 outdated version 1 clerk version 1 "
        "Left out: 1 older than the first version older skill Left out: 1 recalled recalled skill "
        "Pin all Cancel"
    )

    console.submit(f"{HOME}/pin-all")

    pinned = {"current": (1, 1), "outdated": (1, 1), "clerk": (1, 1)}
    assert stored() == BEFORE | pinned
    assert given(client) == {
        "current": (1, True, False),
        "outdated": (1, True, True),
        "pinned": (1, True, True),
        "older": (2, False, True),
        "recalled": (2, False, True),
        "clerk": (1, True, True),
        "gone": (None, True, False),
    }
    assert told(console.get(HOME)) == ["Pinned 2 skills and 1 persona of caller."]
    names = "current 1, outdated 1, clerk 1"
    assert history(agent)[0] == ("Ada Lovelace", f"Pinned 2 skills and 1 persona: {names}.")


@pytest.mark.contract("19.18")
def test_skills_that_come_with_the_active_persona_cannot_be_pinned(console, agent):
    skills = [SkillFactory(slug=slug) for slug in ("minutes", "own", "triage")]
    PersonaFactory(slug="clerk", skills=skills)
    PersonaFactory(slug="idle", skills=[SkillFactory(slug="unread")])
    PersonaInstall.objects.install(agent, "clerk", activate=True)
    PersonaInstall.objects.install(agent, "idle")
    SkillInstall.objects.install(agent, "own")

    assert question(console, "pin-all").endswith(
        "This changes 1 skill and 2 personas own version 1 clerk version 1 idle version 1 "
        "Left out: 2 that come with the active persona, always in the newest version; install one "
        "to pin it minutes skill triage skill "
        "Pin all Cancel"
    )


@pytest.mark.contract("19.18")
def test_all_are_unpinned(console, client, agent, has):
    assert question(console, "unpin-all") == (
        "Unpin everything that caller has? The agent gets the newest version of each, now and "
        "whenever a new one is published. To keep some pins, unpin the others one by one: “Your "
        "actions” names what was pinned together. This changes 1 skill pinned version 1 → 3 "
        "Left out: 1 withdrawn gone persona Unpin all Cancel"
    )

    console.submit(f"{HOME}/unpin-all")

    assert stored() == BEFORE | {"pinned": (1, None)}
    assert given(client)["pinned"] == (3, False, True)
    assert told(console.get(HOME)) == ["Unpinned 1 skill of caller."]
    assert history(agent)[0] == ("Ada Lovelace", "Unpinned 1 skill: pinned 1.")


def test_pin_all_takes_the_used_one_of_two_equal_versions(console, agent):
    skill = SkillFactory(slug="tables", content="One.")
    SkillInstall.objects.install(agent, "tables")
    for text in ("Two.", "One."):
        rewrite(skill, text)

    console.submit(f"{HOME}/pin-all")

    assert stored() == {"tables": (1, 1)}


@pytest.mark.contract("19.18")
@pytest.mark.parametrize("action", ["update-all", "pin-all", "unpin-all"])
def test_with_nothing_to_change_nothing_is_asked_done_or_noted(console, agent, action):
    install(agent, "skill", "tables", newer=0, version=1 if action == "pin-all" else None)
    before, noted = stored(), history(agent)

    page = console.get(f"{HOME}/{action}")

    assert NOTHING in text_of(page)
    assert "<button>" not in page.content.decode()
    assert console.submit(f"{HOME}/{action}").status_code == 302
    assert told(console.get(HOME)) == ["Nothing has changed."]
    assert (stored(), history(agent)) == (before, noted)


@pytest.mark.contract("19.18")
@pytest.mark.parametrize("action", ["update-all", "pin-all", "unpin-all"])
def test_all_of_no_other_agent(console, agent, has, action):
    other = AgentFactory()
    for kind, model in (("skill", Skill), ("persona", Persona)):
        for slug in model.objects.published().values_list("slug", flat=True):
            KINDS[kind][0].objects.install(other, slug, version=1 if slug == "pinned" else None)
    SkillInstall.objects.filter(agent=other, skill__slug="outdated").update(number=1)
    before = [[*other.skill_installs.values()], [*other.persona_installs.values()]]

    console.submit(f"{HOME}/{action}")

    assert [[*other.skill_installs.values()], [*other.persona_installs.values()]] == before


def test_all_of_an_agent_that_is_stopped(console, agent, has):
    Agent.objects.get(handle="caller").pause()

    console.submit(f"{HOME}/update-all")

    assert stored()["pinned"] == (3, 3)


def test_update_all_leaves_uninstalled_skills_alone(console, client, agent, has):
    client.post(f"{ME}/skills/uninstall", {"slug": "outdated"})

    console.submit(f"{HOME}/update-all")

    assert SkillInstall.objects.get(skill__slug="outdated").number == 1


def test_the_page_names_the_first_of_many_installs(console, agent):
    for number in range(102):
        install(agent, "skill", f"skill-{number:03}")

    text = question(console, "update-all")

    assert "This changes 102 skills skill-000 version 1 → 2 skill-001 version 1 → 2" in text
    assert "skill-099 version 1 → 2 and 2 more Update" in text


@pytest.mark.contract("19.18")
@pytest.mark.parametrize("action", ["update-all", "pin-all", "unpin-all"])
def test_the_number_of_statements_is_that_of_one(console, agent, has, action):
    def statements(call):
        with CaptureQueriesContext(connection) as queries:
            call()
        return len(queries)

    def asking_and_doing():
        asking = statements(lambda: console.get(f"{HOME}/{action}"))
        return asking, statements(lambda: console.submit(f"{HOME}/{action}"))

    first = asking_and_doing()
    for number in range(10):
        for kind in KINDS:
            install(agent, kind, f"new-{number}", version=1 if number % 2 else None)

    assert asking_and_doing() == first


def test_they_are_offered_where_there_is_something(console, agent):
    offered = re.compile(rf'href="{HOME}/(\w+-all)"')
    assert offered.findall(console.get(HOME).content.decode()) == []

    install(agent, "persona", "clerk")

    page = console.get(HOME).content.decode()
    assert offered.findall(page) == ["update-all", "pin-all", "unpin-all"]
