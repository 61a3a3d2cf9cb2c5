"""Tombstones in place of recalled entries (contract 34.2 to 34.4)."""

import json

import pytest
import yaml
from django.core.management import call_command

from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_marketplaces import names, paths_below
from tests.interfaces.git.test_plugin_versions import fetched, versions, write  # noqa: F401

TEXT = """---
name: "pdf-tables"
description: "RECALLED: It: leaks \\"keys\\"."
---

It: leaks
"keys".

Do not use this skill. Uninstall it: {command}. {instead}
"""
PLUGIN = (
    "`claude plugin uninstall {0}`, `codex plugin remove {0}` or `copilot plugin uninstall {0}`"
)
REASON = 'It: leaks\n"keys".'


@pytest.fixture
def skill(transactional_db):
    return SkillFactory(
        slug="pdf-tables",
        title="Secret title",
        description="Secret words.",
        author="Secret author",
        category="secret",
        tags=["secret"],
        license="Secret",
        content="# Secret\n",
        files={"secret.txt": b"secret"},
    )


@pytest.fixture
def pulled(live_server_of, git):
    """The files of a repository, after a fetch."""
    server, folders = live_server_of(), []

    def pulled(path, token=None):
        folder = path.rpartition("/")[2]
        if path in folders:
            git("pull", "--ff-only", within=folder)
        else:
            git("clone", address(server, path, token), folder)
            folders.append(path)
        git("fsck", "--strict", within=folder)
        return git.files(folder)

    return pulled


def frontmatter(data):
    return yaml.safe_load(data.decode().split("---\n")[1])


@pytest.mark.contract("34.2")
def test_a_recalled_skill_is_a_tombstone(pulled, skill):
    write(skill, content="# Secret too\n")
    before = pulled("catalogue")
    skill.recall(REASON, SkillFactory(slug="csv-tables"))

    files = pulled("catalogue")

    plugin = paths_below(files, "plugins/pdf-tables")
    text = plugin.pop("skills/pdf-tables/SKILL.md").decode()
    command = PLUGIN.format("pdf-tables@agent-marketplace")
    assert text == TEXT.format(command=command, instead="Use `csv-tables` instead.")
    said = 'RECALLED: It: leaks "keys".'
    assert frontmatter(text.encode()) == {"name": "pdf-tables", "description": said}
    manifest = json.loads(plugin["plugin.json"])
    assert manifest["version"] == "2.1.0"
    assert manifest["description"] == said
    assert json.loads(plugin[".codex-plugin/plugin.json"])["interface"]["displayName"] == (
        "pdf-tables"
    )
    assert set(plugin) == {
        *("plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json")
    }
    assert versions(before)["pdf-tables"] == "2.0.0"
    assert b"secret" not in b"".join(files.values()).lower()


@pytest.mark.contract("34.1", "34.2")
def test_a_recall_that_ends_moves_the_version_on(fetched, skill):  # noqa: F811
    assert fetched("catalogue")["pdf-tables"] == "1.0.0"
    skill.recall("It leaks.")
    assert fetched("catalogue")["pdf-tables"] == "1.1.0"
    skill.publish()
    assert fetched("catalogue")["pdf-tables"] == "1.2.0"


@pytest.mark.contract("34.2")
def test_a_withdrawal_without_a_reason_tells_clients_nothing(pulled, skill):
    never = SkillFactory(slug="draft", status="draft")
    never.recall("It was never published.")
    pulled("catalogue")
    skill.withdraw()

    assert names(pulled("catalogue")) == []


@pytest.mark.contract("34.2")
def test_tombstones_do_not_count_as_entries(live_server_of, git, skill):
    skill.recall("It leaks.")
    SkillFactory(slug="csv-tables")
    PersonaFactory(slug="priced", price_cents=100).recall("It leaks.")

    git("clone", address(live_server_of(GIT_MAX_ENTRIES="1"), "catalogue"))

    assert names(git.files("catalogue")) == ["csv-tables", "pdf-tables"]


@pytest.mark.contract("34.2")
def test_a_recalled_persona_is_a_skill_and_an_agent(pulled, skill):
    persona = PersonaFactory(slug="archivist", content="Secret.", skills=[skill])
    pulled("personas/archivist")
    persona.recall("It lies.")

    files = pulled("personas/archivist")

    assert versions(files) == {"archivist": "1.1.0"}
    plugin = paths_below(files, "plugins/archivist")
    text = plugin["agents/archivist.md"].decode()
    assert text == (
        '---\nname: "archivist"\ndescription: "RECALLED: It lies."\n---\n\nIt lies.\n\n'
        "Do not use this persona. Uninstall it: "
        f"{PLUGIN.format('archivist@agent-marketplace-archivist')}. There is no replacement.\n"
    )
    assert plugin["skills/archivist/SKILL.md"].decode() == text
    assert "skills/pdf-tables/SKILL.md" not in plugin
    codex = json.loads(plugin[".codex-plugin/plugin.json"])
    assert codex["skills"] == "./skills/"


@pytest.mark.contract("27.5", "34.2")
def test_a_slug_is_taken_while_there_is_a_tombstone(pulled, skill):
    PersonaFactory(slug="pdf-tables")
    skill.recall("It leaks.")
    assert names(pulled("catalogue")) == ["pdf-tables", "pdf-tables-persona"]
    assert names(pulled("personas/pdf-tables")) == ["pdf-tables-persona"]

    skill.withdraw()
    assert names(pulled("catalogue")) == ["pdf-tables"]


@pytest.mark.contract("34.2")
def test_a_purged_entry_is_a_tombstone_with_its_reason(pulled, skill):
    pulled("catalogue")
    skill.withdraw()
    call_command("purge_version", "skill", "pdf-tables", "1", reason="The law.")

    git_files = pulled("skills/pdf-tables")

    text = git_files["SKILL.md"].decode()
    assert '"RECALLED: The law."' in text
    assert set(git_files) == {"SKILL.md"}


@pytest.fixture
def agent(transactional_db):
    return AgentFactory()


@pytest.mark.contract("34.3")
def test_an_agent_gets_those_of_all_that_it_ever_had(pulled, agent, skill):
    bundled, unknown = SkillFactory(slug="bundled"), SkillFactory(slug="unknown")
    unlinked = SkillFactory(slug="unlinked")
    persona = PersonaFactory(slug="archivist", skills=[bundled, unlinked])
    installs = [
        SkillInstallFactory(agent=agent, skill=skill),
        PersonaInstallFactory(agent=agent, persona=persona, is_active=True),
    ]
    pulled("me", agent.token)
    for install in installs:
        install.uninstall()
    persona.skills.remove(unlinked)

    for entry in (skill, bundled, unknown, unlinked, persona):
        entry.recall("It leaks.")
    files = pulled("me", agent.token)

    assert versions(files) == {
        "everything": "1.1.0",
        "archivist": "1.1.0",
        "bundled": "1.1.0",
        "pdf-tables": "1.1.0",
        "unlinked": "1.1.0",
    }
    assert b"Secret" not in b"".join(files.values())


@pytest.mark.contract("34.1", "34.3")
def test_a_recalled_pin_is_a_tombstone_of_its_number(fetched, agent, skill):  # noqa: F811
    for content in ("# Second\n", "# Third\n", "# Fourth\n"):
        write(skill, content=content)
    second = skill.versions.get(number=2)
    install = SkillInstallFactory(agent=agent, skill=skill, pinned=second)
    assert fetched("me", agent.token)["pdf-tables"] == "2.0.0"

    second.recall("It leaks.")
    assert fetched("me", agent.token)["pdf-tables"] == "2.1.0"
    install.pinned = None
    install.save()
    assert fetched("me", agent.token)["pdf-tables"] == "4.0.0"


@pytest.mark.contract("34.3")
def test_a_recalled_pin_stays_told_after_the_uninstall(pulled, agent, skill):
    write(skill, content="# Second\n")
    first = skill.versions.get(number=1)
    install = SkillInstallFactory(agent=agent, skill=skill, pinned=first)
    first.recall("It leaks.")
    install.uninstall()

    files = pulled("me", agent.token)

    text = files["plugins/pdf-tables/skills/pdf-tables/SKILL.md"].decode()
    assert text.endswith("There is no replacement.\n")


@pytest.mark.contract("27.5", "34.3")
def test_a_pin_of_a_withdrawn_skill_takes_its_slug(pulled, agent, skill):
    persona = PersonaFactory(slug="pdf-tables")
    SkillInstallFactory(agent=agent, skill=skill, pinned=skill.versions.get())
    PersonaInstallFactory(agent=agent, persona=persona, is_active=True)
    skill.withdraw()
    skill.versions.get().recall("It leaks.")

    files = pulled("me", agent.token)

    assert names(files) == ["pdf-tables", "pdf-tables-persona", "everything"]
    assert b"RECALLED" in files["plugins/pdf-tables/plugin.json"]


@pytest.mark.contract("34.4")
def test_a_recall_is_one_more_commit_of_a_skill(pulled, git, skill):
    pulled("skills/pdf-tables")
    skill.recall(REASON)

    files = pulled("skills/pdf-tables")

    command, instead = "`npx skills remove pdf-tables -y`", "There is no replacement."
    assert {path: data.decode() for path, data in files.items()} == {
        "SKILL.md": TEXT.format(command=command, instead=instead)
    }
    assert git.commits("pdf-tables") == ["Recalled", "Version 1"]
    url = git("remote", "get-url", "origin", within="pdf-tables").strip()
    assert "refs/tags" not in git("ls-remote", url)
    assert git.commits("pdf-tables") == ["Recalled", "Version 1"]


@pytest.mark.contract("34.4")
def test_the_text_comes_back_with_the_skill(pulled, git, skill):
    before = pulled("skills/pdf-tables")
    for reason in ("It leaks.", "It leaks keys."):
        skill.recall(reason)
        pulled("skills/pdf-tables")

    skill.publish()
    assert pulled("skills/pdf-tables") == before
    git("fetch", "--tags", within="pdf-tables")  # No tag has moved.
    write(skill, content="# Second\n")
    pulled("skills/pdf-tables")

    assert git.commits("pdf-tables") == [
        *("Version 2", "Version 1", "Recalled", "Recalled", "Version 1")
    ]
    tags = git("log", "--no-walk", "--tags", "--format=%s", within="pdf-tables").splitlines()
    assert sorted(tags) == ["Version 1", "Version 2"]


@pytest.mark.contract("34.4")
def test_a_skill_that_is_recalled_at_the_first_fetch_has_its_history(pulled, git, skill):
    write(skill, content="# Second\n")
    skill.recall("It leaks.")

    pulled("skills/pdf-tables")

    assert git.commits("pdf-tables") == ["Recalled", "Version 2", "Version 1"]
