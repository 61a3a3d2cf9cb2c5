"""catalogue.git, personas/<slug>.git and me.git: marketplaces of plugins (contract 27)."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command

from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.interfaces.git.conftest import address


def paths_below(files, folder):
    return {
        path.removeprefix(f"{folder}/"): data
        for path, data in files.items()
        if path.startswith(f"{folder}/")
    }


def names(files, marketplace=".claude-plugin/marketplace.json"):
    return [plugin["name"] for plugin in json.loads(files[marketplace])["plugins"]]


@pytest.mark.contract("27.3")
def test_the_catalogue_has_skills_and_free_personas(live_server_of, git):
    tables = SkillFactory(slug="pdf-tables", files={"scripts/run.py": b"print(1)\n"})
    SkillFactory(slug="draft", status="draft")
    PersonaFactory(slug="archivist", skills=[tables])
    PersonaFactory(slug="priced", price_cents=100)

    git("clone", address(live_server_of(), "catalogue"))

    files = git.files("catalogue")
    assert names(files) == names(files, ".agents/plugins/marketplace.json")
    assert names(files) == ["pdf-tables", "archivist"]
    skill = {"SKILL.md": tables.file_text.encode(), "scripts/run.py": b"print(1)\n"}
    assert paths_below(files, "plugins/pdf-tables/skills/pdf-tables") == skill
    assert paths_below(files, "plugins/archivist/skills/pdf-tables") == skill
    git("fsck", "--strict", within="catalogue")


MANIFEST = {
    "name": "pdf-tables",
    "version": "2.0.0",
    "description": "Reads tables.",
    "author": {"name": "Ada"},
    "license": "MIT",
    "keywords": ["pdf", "Tables"],
}


@pytest.mark.contract("27.4", "34.6")
def test_a_skill_is_a_plugin(live_server_of, git):
    skill = SkillFactory(
        slug="pdf-tables",
        title="PDF Tables",
        description="Reads\ntables.",
        category="data",
        author="Ada",
        license="MIT",
        tags=["pdf", "Tables"],
    )
    skill.content = "# Second\n"
    skill.save()

    git("clone", address(live_server_of(), "catalogue"))

    plugin = paths_below(git.files("catalogue"), "plugins/pdf-tables")
    schema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    assert sorted(plugin) == [
        ".claude-plugin/plugin.json",
        ".codex-plugin/plugin.json",
        "plugin.json",
        "skills/pdf-tables/SKILL.md",
    ]
    assert json.loads(plugin["plugin.json"]) == {"$schema": schema, **MANIFEST}
    assert json.loads(plugin[".claude-plugin/plugin.json"]) == MANIFEST
    assert json.loads(plugin[".codex-plugin/plugin.json"]) == {
        **MANIFEST,
        "skills": "./skills/",
        "interface": {
            "displayName": "PDF Tables",
            "shortDescription": "Reads tables.",
            "longDescription": "Reads tables.",
            "developerName": "Ada",
            "category": "data",
        },
    }


@pytest.mark.contract("34.6")
def test_a_skill_that_says_little_is_by_the_marketplace(live_server_of, git):
    SkillFactory(slug="pdf-tables", title="PDF Tables", description="", author="", license="")

    git("clone", address(live_server_of(), "catalogue"))

    plugin = paths_below(git.files("catalogue"), "plugins/pdf-tables")
    assert json.loads(plugin[".claude-plugin/plugin.json"]) == {
        "name": "pdf-tables",
        "version": "1.0.0",
        "description": "PDF Tables",
        "author": {"name": "agent-marketplace"},
    }
    interface = json.loads(plugin[".codex-plugin/plugin.json"])["interface"]
    assert interface["developerName"] == "agent-marketplace"


@pytest.mark.contract("34.6")
@pytest.mark.parametrize("path", ["catalogue", "personas/archivist", "me"])
def test_each_marketplace_has_a_readme_without_an_address(live_server_of, git, path):
    PersonaFactory(slug="archivist")
    token = AgentFactory().token if path == "me" else None

    git("clone", address(live_server_of(), path, token), "clone")

    readme = git.files("clone")["README.md"].decode()
    assert len(readme.split()) >= 40
    assert "://" not in readme
    assert "127.0.0.1" not in readme


@pytest.mark.contract("34.7")
def test_a_persona_is_an_extension_of_gemini(live_server_of, git):
    skill = SkillFactory(slug="pdf-tables")
    persona = PersonaFactory(slug="archivist", description="Keeps it.", skills=[skill])
    git("clone", address(live_server_of(), "personas/archivist"))
    persona.skills.clear()

    git("pull", "--ff-only", within="archivist")

    files = git.files("archivist")
    assert json.loads(files["gemini-extension.json"]) == {
        "name": "agent-marketplace-archivist",
        "version": "1.1.0",
        "description": "Keeps it.",
    }
    assert "skills/pdf-tables/SKILL.md" not in files
    before = git("ls-tree", "-r", "--name-only", "HEAD~1", "skills/", within="archivist")
    assert before.splitlines() == ["skills/pdf-tables/SKILL.md"]
    assert files["agents/archivist.md"] == files["plugins/archivist/agents/archivist.md"]


@pytest.mark.contract("34.7")
def test_the_catalogue_is_no_extension(live_server_of, git):
    SkillFactory(slug="pdf-tables")

    git("clone", address(live_server_of(), "catalogue"))

    assert {path.split("/")[0] for path in git.files("catalogue")} == {
        *(".agents", ".claude-plugin", "README.md", "plugins")
    }


@pytest.mark.contract("27.4")
def test_the_lists_of_plugins_are_those_of_the_clients(live_server_of, git):
    SkillFactory(slug="pdf-tables", description="Reads tables.", category="data")

    git("clone", address(live_server_of(), "catalogue"))

    files = git.files("catalogue")
    name = "agent-marketplace"
    assert json.loads(files[".claude-plugin/marketplace.json"]) == {
        "name": name,
        "owner": {"name": name},
        "metadata": {"description": "Skills and personas for agents"},
        "plugins": [
            {
                "name": "pdf-tables",
                "source": "./plugins/pdf-tables",
                "description": "Reads tables.",
                "version": "1.0.0",
                "category": "data",
            }
        ],
    }
    assert json.loads(files[".agents/plugins/marketplace.json"]) == {
        "name": name,
        "interface": {"displayName": name},
        "plugins": [
            {
                "name": "pdf-tables",
                "source": {"source": "local", "path": "./plugins/pdf-tables"},
                "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                "category": "data",
            }
        ],
    }


@pytest.mark.contract("27.3", "27.4")
def test_a_persona_is_a_marketplace_of_one_plugin(live_server_of, git):
    skill = SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="archivist", description="Keeps it.", content="Keep.", skills=[skill])

    git("clone", address(live_server_of(), "personas/archivist"))

    files = git.files("archivist")
    assert json.loads(files[".claude-plugin/marketplace.json"])["name"] == (
        "agent-marketplace-archivist"
    )
    assert names(files) == ["archivist"]
    agent = b'---\nname: "archivist"\ndescription: "Keeps it."\n---\n\nKeep.'
    assert files["plugins/archivist/agents/archivist.md"] == agent
    assert "plugins/archivist/skills/pdf-tables/SKILL.md" in files


@pytest.mark.contract("27.7")
def test_a_change_is_one_commit(live_server_of, git):
    skill = SkillFactory(slug="pdf-tables")
    url = address(live_server_of(), "catalogue")
    git("clone", url)
    git("pull", within="catalogue")
    SkillFactory(slug="csv-tables")
    skill.content = "# Second\n"
    skill.save()

    git("pull", "--ff-only", within="catalogue")

    assert git.commits("catalogue") == ["2 plugins", "1 plugin"]
    skill.withdraw()
    git("pull", "--ff-only", within="catalogue")
    assert git.commits("catalogue") == ["1 plugin", "2 plugins", "1 plugin"]
    assert names(git.files("catalogue")) == ["csv-tables"]
    git("fsck", "--strict", within="catalogue")


@pytest.mark.contract("27.7")
def test_a_purge_begins_the_history_of_each_that_had_it_anew(live_server_of, git):
    skill = SkillFactory(slug="pdf-tables", title="Secret")
    SkillFactory(slug="csv-tables")
    server = live_server_of()
    git("clone", address(server, "catalogue"), "before")
    git("clone", address(server, "skills/csv-tables"))
    kept = git("rev-parse", "HEAD", within="csv-tables").strip()
    skill.content, skill.title = "# Second\n", "Tables"
    skill.save()

    call_command("purge_version", "skill", "pdf-tables", "1", reason="The law")

    git("clone", address(server, "catalogue"), "after")
    assert git.commits("after") == ["2 plugins"]
    assert git("log", "--all", "-SSecret", "--oneline", within="after") == ""
    assert git("ls-remote", address(server, "skills/csv-tables"), "HEAD").split()[0] == kept


@pytest.mark.contract("27.3")
def test_a_large_catalogue_has_no_repository(live_server_of):
    SkillFactory.create_batch(2)
    PersonaFactory()
    server = live_server_of(GIT_MAX_ENTRIES="2")

    response = server.request("GET", "/git/catalogue.git/info/refs?service=git-upload-pack")

    error = (
        "This catalogue has more than 2 entries, too many for one repository. Clone "
        "/git/skills/<slug>.git or /git/personas/<slug>.git instead."
    )
    assert (response.status, response.json()) == (404, {"error": error})


@pytest.mark.contract("27.7")
def test_two_processes_make_the_same_commits(own_server_of, git):
    """Both are asked at once, so that they see each change together."""
    skill = SkillFactory(slug="pdf-tables")
    servers = [own_server_of(), own_server_of()]
    urls = [
        address(server, path) for server in servers for path in ("catalogue", "skills/pdf-tables")
    ]
    for number in range(4):
        skill.content = f"# {number}\n"
        skill.save()
        with ThreadPoolExecutor() as pool:
            refs = list(pool.map(lambda url: git("ls-remote", url), urls))
        assert refs[:2] == refs[2:]
    git("clone", urls[0])
    assert len(git.commits("catalogue")) == 4
