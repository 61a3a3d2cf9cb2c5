"""A plugin's version moves whenever its files do (contract 34.1)."""

import json

import pytest
from django.core.management import call_command

from interfaces.git import store
from interfaces.git.models import PluginVersion
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, SkillInstallFactory
from tests.interfaces.git.conftest import address

pytestmark = pytest.mark.contract("34.1")


def versions(files):
    """The version of each plugin, which is the same in all of its manifests."""
    listed = json.loads(files[".claude-plugin/marketplace.json"])["plugins"]
    for plugin in listed:
        for path in ("plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json"):
            manifest = json.loads(files[f"plugins/{plugin['name']}/{path}"])
            assert (manifest["name"], manifest["version"]) == (plugin["name"], plugin["version"])
    return {plugin["name"]: plugin["version"] for plugin in listed}


@pytest.fixture
def fetched(live_server_of, git):
    """The versions of plugins in a repository, after a fetch."""
    server, folders = live_server_of(), []

    def fetched(path, token=None):
        if path in folders:
            git("pull", "--ff-only", within=path)
        else:
            git("clone", address(server, path, token), path)
            folders.append(path)
        git("fsck", "--strict", within=path)
        return versions(git.files(path))

    return fetched


def write(entry, **values):
    for name, value in values.items():
        setattr(entry, name, value)
    entry.save()


def test_every_change_of_its_files_moves_it(fetched, transactional_db):
    skill = SkillFactory(slug="pdf-tables", title="Tables")
    SkillFactory(slug="csv-tables")
    assert fetched("catalogue")["pdf-tables"] == "1.0.0"

    write(skill, category="data")
    assert fetched("catalogue") == {"csv-tables": "1.0.0", "pdf-tables": "1.1.0"}
    write(skill, content="# Second\n")
    assert fetched("catalogue") == {"csv-tables": "1.0.0", "pdf-tables": "2.0.0"}


def test_files_that_come_back_have_a_new_version(fetched, transactional_db):
    skill = SkillFactory(slug="pdf-tables", category="data")
    assert fetched("catalogue") == {"pdf-tables": "1.0.0"}

    for category, version in [("text", "1.1.0"), ("data", "1.2.0")]:
        write(skill, category=category)
        assert fetched("catalogue") == {"pdf-tables": version}


def test_a_new_text_of_a_bundled_skill_moves_the_persona(fetched, transactional_db):
    skill = SkillFactory(slug="pdf-tables")
    persona = PersonaFactory(slug="archivist", skills=[skill])
    assert fetched("personas/archivist") == {"archivist": "1.0.0"}

    write(skill, content="# Second\n")
    assert fetched("personas/archivist") == {"archivist": "1.1.0"}
    persona.skills.clear()
    assert fetched("personas/archivist") == {"archivist": "1.2.0"}


def test_each_repository_counts_for_itself(fetched, transactional_db):
    skill = SkillFactory(slug="pdf-tables", category="data")
    agent = AgentFactory()
    SkillInstallFactory(agent=agent, skill=skill)
    fetched("catalogue")
    write(skill, category="text")
    assert fetched("catalogue")["pdf-tables"] == "1.1.0"

    assert fetched("me", agent.token)["pdf-tables"] == "1.0.0"


def test_a_pin_and_an_update_move_between_numbers(fetched, transactional_db):
    skill = SkillFactory(slug="pdf-tables")
    agent = AgentFactory()
    install = SkillInstallFactory(agent=agent, skill=skill)
    write(skill, content="# Second\n")
    assert fetched("me", agent.token)["pdf-tables"] == "2.0.0"

    install.pinned = skill.versions.get(number=1)
    install.save()
    assert fetched("me", agent.token)["pdf-tables"] == "1.0.0"
    install.pinned = None
    install.save()
    assert fetched("me", agent.token)["pdf-tables"] == "2.0.0"


def test_a_purge_does_not_set_it_back(live_server_of, git, transactional_db):
    skill = SkillFactory(slug="pdf-tables", category="data")
    other = SkillFactory(slug="csv-tables", content="# Secret\n")
    url = address(live_server_of(), "catalogue")
    git("clone", url, "before")
    write(skill, category="text")
    write(other, content="# Clean\n")
    git("pull", within="before")

    call_command("purge_version", "skill", "csv-tables", "1", reason="The law")

    git("clone", url, "after")
    assert git.commits("after") == ["2 plugins"]
    assert versions(git.files("after")) == {"csv-tables": "2.0.0", "pdf-tables": "1.1.0"}
    assert "Secret" not in repr(list(PluginVersion.objects.values()))


def test_a_repository_of_an_older_release_moves_on(fetched, transactional_db):
    """Its last commit had 1.0.0, but nothing was stored."""
    SkillFactory(slug="pdf-tables")
    assert fetched("catalogue") == {"pdf-tables": "1.0.0"}
    PluginVersion.objects.all().delete()
    store.Repository.objects.update(state="older")

    assert fetched("catalogue") == {"pdf-tables": "1.1.0"}
