"""The skills that three clients load through the life of an agent (contract 34).

Each runs with an empty HOME and without an account. The token is in ~/.netrc.
"""

import json

import pytest

from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_git_clients import (  # noqa: F401
    claude,
    client_of_npm,
    codex,
    copilot,
)
from tests.interfaces.git.test_own_repository import act
from tests.interfaces.git.test_plugin_versions import write

pytestmark = [pytest.mark.external, pytest.mark.slow]
MARKETPLACE = "agent-marketplace-me"
INSTALL = {"claude": "install", "codex": "add", "copilot": "install"}
REFRESH = {"claude": "update", "codex": "upgrade", "copilot": "update"}


class Life:
    """A client that has plugins of its agent's repository."""

    def __init__(self, name, client, home, url):
        self.name, self.client, self.home = name, client, home
        self.plugins = []
        client("plugin", "marketplace", "add", url)

    def install(self, plugin):
        self.client("plugin", INSTALL[self.name], f"{plugin}@{MARKETPLACE}")
        self.plugins.append(plugin)

    def refresh(self):
        self.client("plugin", "marketplace", REFRESH[self.name], MARKETPLACE)
        for plugin in self.plugins if self.name != "codex" else []:
            self.client("plugin", "update", f"{plugin}@{MARKETPLACE}")

    def loaded(self, plugin):
        """The texts of the plugin that the client loads, the manifests included."""
        folders = self.folders(plugin)
        paths = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
        return "".join(path.read_text() for path in paths)

    def folders(self, plugin):
        if self.name == "claude":
            listed = json.loads((self.home / ".claude/plugins/installed_plugins.json").read_text())
            [row] = listed["plugins"][f"{plugin}@{MARKETPLACE}"]
            return [type(self.home)(row["installPath"])]
        if self.name == "codex":
            return [self.home / ".codex/plugins/cache" / MARKETPLACE / plugin]
        return [self.home / ".copilot/installed-plugins" / MARKETPLACE / plugin]


@pytest.fixture(params=["claude", "codex", "copilot"])
def life(request, live_server_of, tmp_path, transactional_db):
    client = request.getfixturevalue(request.param)
    agent, server = AgentFactory(), live_server_of()
    login = f"machine 127.0.0.1 login x password {agent.token.text}\n"
    (tmp_path / ".netrc").write_text(login)
    life = Life(request.param, client, tmp_path, address(server, "me"))
    life.act = lambda path, **body: act(server, agent, path, **body)
    return life


@pytest.mark.contract("34.1", "34.2", "34.3", "34.5")
def test_it_loads_what_its_agent_has(life):
    skill = SkillFactory(slug="pdf-tables", content="# First\n")
    life.install("everything")
    life.act("skills/install", slug="pdf-tables")
    life.refresh()
    life.install("pdf-tables")
    assert "# First" in life.loaded("everything")

    life.act("skills/pin", slug="pdf-tables")
    write(skill, content="# Second\n")
    life.refresh()
    assert_loaded(life, has="# First", lacks="# Second")

    skill.versions.get(number=1).recall("It leaks.")
    life.refresh()
    assert_loaded(life, has="RECALLED: It leaks.", lacks="# First")

    life.act("skills/unpin", slug="pdf-tables")
    life.refresh()
    assert_loaded(life, has="# Second", lacks="RECALLED")

    skill.recall("It leaks, too.")
    life.refresh()
    assert_loaded(life, has="RECALLED: It leaks, too.", lacks="# Second")

    life.act("skills/uninstall", slug="pdf-tables")
    life.refresh()
    assert "RECALLED" not in life.loaded("everything")
    assert "RECALLED: It leaks, too." in life.loaded("pdf-tables")


def assert_loaded(life, has, lacks):
    for plugin in ("everything", "pdf-tables"):
        text = life.loaded(plugin)
        assert has in text
        assert lacks not in text


@pytest.mark.contract("34.1", "34.2", "34.3", "34.5")
def test_a_recall_inside_a_persona_reaches_it(life):
    skill = SkillFactory(slug="pdf-tables", content="# First\n")
    persona = PersonaFactory(slug="archivist", content="Keep.", skills=[skill])
    life.act("personas/install", slug="archivist")
    life.act("personas/activate", slug="archivist")
    life.refresh()
    for plugin in ("everything", "archivist", "pdf-tables"):
        life.install(plugin)
        assert "# First" in life.loaded(plugin)

    skill.recall("It leaks.")
    life.refresh()
    assert_loaded(life, has="RECALLED: It leaks.", lacks="# First")
    assert "# First" not in life.loaded("archivist")
    assert "Keep." in life.loaded("archivist")

    persona.recall("It lies.")
    life.refresh()
    for plugin in ("everything", "archivist"):
        assert "RECALLED: It lies." in life.loaded(plugin)
        assert "Keep." not in life.loaded(plugin)
