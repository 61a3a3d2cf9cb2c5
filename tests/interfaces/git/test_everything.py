"""The plugin `everything` of me.git: what an agent has, each once (contract 34.5)."""

import json

import pytest

from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.interfaces.git.test_marketplaces import names, paths_below
from tests.interfaces.git.test_plugin_versions import versions, write
from tests.interfaces.git.test_tombstones import pulled  # noqa: F401

pytestmark = pytest.mark.contract("34.5")
MANIFESTS = [".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "plugin.json"]


@pytest.fixture
def agent(transactional_db):
    return AgentFactory()


@pytest.fixture
def everything(pulled, agent):  # noqa: F811
    """The version of the plugin and its files, without the manifests."""

    def everything():
        files = pulled("me", agent.token)
        plugin = paths_below(files, "plugins/everything")
        for path in MANIFESTS:
            assert json.loads(plugin.pop(path))["version"] == versions(files)["everything"]
        assert plugin == {
            path: data for path, data in files.items() if path.startswith(("skills/", "agents/"))
        }
        return versions(files)["everything"], plugin

    return everything


def test_it_is_there_before_anything_else(everything):
    assert everything() == ("1.0.0", {})


def test_it_has_all_skills_and_the_active_persona_once(everything, agent):
    tables = SkillFactory(slug="pdf-tables", files={"run.sh": b"true\n"})
    bundled = SkillFactory(slug="csv-tables")
    archivist = PersonaFactory(slug="archivist", content="Keep.", skills=[tables, bundled])
    curator = PersonaFactory(slug="curator", skills=[SkillFactory(slug="other")])
    SkillInstallFactory(agent=agent, skill=tables)
    PersonaInstallFactory(agent=agent, persona=archivist, is_active=True)
    PersonaInstallFactory(agent=agent, persona=curator)

    version, files = everything()

    assert version == "1.0.0"
    assert set(files) == {
        "agents/archivist.md",
        "skills/csv-tables/SKILL.md",
        "skills/pdf-tables/SKILL.md",
        "skills/pdf-tables/run.sh",
    }


def test_each_change_moves_its_version(everything, agent):
    skill = SkillFactory(slug="pdf-tables", content="# First\n")
    assert everything()[0] == "1.0.0"

    install = SkillInstallFactory(agent=agent, skill=skill)
    assert everything()[0] == "1.1.0"
    write(skill, content="# Second\n")
    version, files = everything()
    assert (version, b"# Second" in files["skills/pdf-tables/SKILL.md"]) == ("1.2.0", True)
    install.pinned = skill.versions.get(number=1)
    install.save()
    version, files = everything()
    assert (version, b"# First" in files["skills/pdf-tables/SKILL.md"]) == ("1.3.0", True)
    install.uninstall()
    assert everything() == ("1.4.0", {})


def test_a_recalled_entry_is_a_tombstone_until_it_is_uninstalled(everything, agent):
    skill = SkillFactory(slug="pdf-tables", files={"run.sh": b"true\n"})
    bundled = SkillFactory(slug="csv-tables")
    persona = PersonaFactory(slug="archivist", skills=[bundled])
    installs = [
        SkillInstallFactory(agent=agent, skill=skill),
        PersonaInstallFactory(agent=agent, persona=persona, is_active=True),
    ]
    everything()
    for entry in (skill, bundled, persona):
        entry.recall("It leaks.")

    _, files = everything()

    assert set(files) == {
        "agents/archivist.md",
        "skills/archivist/SKILL.md",
        "skills/csv-tables/SKILL.md",
        "skills/pdf-tables/SKILL.md",
    }
    assert all(b"RECALLED: It leaks." in data for data in files.values())
    text = files["skills/pdf-tables/SKILL.md"].decode()
    assert text.endswith(
        "Do not use this skill. Uninstall it: call the marketplace's tool `uninstall_skill` with "
        "`pdf-tables`. There is no replacement.\n"
    )
    for install in installs:
        install.uninstall()
    assert everything()[1] == {}


@pytest.mark.contract("27.5")
def test_an_entry_of_this_name_is_called_otherwise(pulled, agent):  # noqa: F811
    skill, persona = SkillFactory(slug="everything"), PersonaFactory(slug="everything")
    SkillInstallFactory(agent=agent, skill=skill)
    PersonaInstallFactory(agent=agent, persona=persona, is_active=True)

    files = pulled("me", agent.token)

    assert names(files) == ["everything-skill", "everything-persona", "everything"]
    assert "plugins/everything-skill/skills/everything/SKILL.md" in files
    assert "plugins/everything-persona/agents/everything.md" in files
    assert names(pulled("catalogue")) == ["everything", "everything-persona"]
    skill.recall("It leaks.")
    assert names(pulled("me")) == ["everything-skill", "everything-persona", "everything"]
    other = PersonaFactory(slug="everything-skill")
    other.recall("It leaks.")
    PersonaInstallFactory(agent=agent, persona=other)
    assert names(pulled("me")) == [
        *("everything-skill-2", "everything-persona", "everything-skill", "everything")
    ]


@pytest.mark.contract("34.7")
def test_it_is_an_extension_of_gemini(pulled, agent):  # noqa: F811
    files = pulled("me", agent.token)

    manifest = json.loads(files["gemini-extension.json"])
    assert (manifest["name"], manifest["version"]) == ("agent-marketplace-me", "1.0.0")
