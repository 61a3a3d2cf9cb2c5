"""The names of marketplaces and of their plugins"""

import json

import pytest
from django.core.management import CommandError, call_command

from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_marketplaces import names

LONG = "a" * 70
CUT = f"{'a' * 57}-6bd5e5"


@pytest.mark.contract("27.5")
def test_a_persona_with_the_slug_of_a_skill_is_called_otherwise(live_server_of, git):
    SkillFactory(slug="archivist")
    PersonaFactory(slug="archivist")
    SkillFactory(slug="curator")
    SkillFactory(slug="curator-persona")
    PersonaFactory(slug="curator")
    server = live_server_of()

    git("clone", address(server, "catalogue"))
    git("clone", address(server, "personas/curator"))

    assert sorted(names(git.files("catalogue"))) == [
        *("archivist", "archivist-persona"),
        *("curator", "curator-persona", "curator-persona-2"),
    ]
    assert names(git.files("curator")) == ["curator-persona-2"]


@pytest.mark.contract("27.5")
def test_a_long_name_is_cut(live_server_of, git):
    skill = SkillFactory(slug=LONG)
    PersonaFactory(slug=LONG, skills=[skill])
    server = live_server_of()

    git("clone", address(server, "catalogue"))
    git("clone", address(server, f"personas/{LONG}"), "persona")

    files = git.files("catalogue")
    assert len(CUT) == 64
    assert CUT in names(files)
    # The folder is called as its SKILL.md says.
    assert f"plugins/{CUT}/skills/{'a' * 64}/SKILL.md" in files
    title = json.loads(git.files("persona")[".claude-plugin/marketplace.json"])["name"]
    assert (len(title), title[:-6]) == (64, f"agent-marketplace-{'a' * 39}-")


@pytest.mark.contract("27.6")
def test_no_persona_has_the_marketplace_of_what_an_agent_has(live_server_of, git):
    PersonaFactory(slug="me")

    git("clone", address(live_server_of(), "personas/me"))

    title = json.loads(git.files("me")[".claude-plugin/marketplace.json"])["name"]
    assert title[:-6] == "agent-marketplace-me-"


@pytest.mark.contract("27.6")
def test_no_marketplace_has_a_name_that_is_too_long(live_server_of, git):
    slugs = ["me", "archivist"]
    for slug in slugs:
        PersonaFactory(slug=slug)
    token = AgentFactory().token
    call_command("name_marketplace", "a" * 64)
    server = live_server_of()
    urls = [address(server, f"personas/{slug}") for slug in slugs]

    titles = set()
    for number, url in enumerate([*urls, address(server, "me", token)]):
        git("clone", url, str(number))
        files = git.files(str(number))
        titles.add(json.loads(files[".claude-plugin/marketplace.json"])["name"])

    assert len(titles) == 3
    assert {len(title) for title in titles} == {64}


@pytest.mark.contract("27.6")
def test_a_new_name_is_one_commit_in_each(live_server_of, git, capsys):
    PersonaFactory(slug="archivist")
    token = AgentFactory().token
    server = live_server_of()
    urls = {
        "catalogue": address(server, "catalogue"),
        "archivist": address(server, "personas/archivist"),
        "me": address(server, "me", token),
    }
    for url in urls.values():
        git("clone", url)

    call_command("name_marketplace", "acme")

    titles = {}
    for folder in urls:
        git("pull", "--ff-only", within=folder)
        assert len(git.commits(folder)) == 2
        [title] = {
            json.loads(git.files(folder)[path])["name"]
            for path in (".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json")
        }
        titles[folder] = title
    assert titles == {"catalogue": "acme", "archivist": "acme-archivist", "me": "acme-me"}


@pytest.mark.contract("27.6")
@pytest.mark.parametrize("name", ["", "Acme", "a--b", "a-", "a_b", "a" * 65])
def test_a_name_that_clients_refuse_is_refused(db, name):
    with pytest.raises(CommandError, match="1 to 64 characters of a-z, 0-9"):
        call_command("name_marketplace", name)


@pytest.mark.contract("27.6")
def test_a_name_that_claude_code_reserves_is_refused(db):
    with pytest.raises(CommandError, match="Claude Code reserves the name agent-skills"):
        call_command("name_marketplace", "agent-skills")
