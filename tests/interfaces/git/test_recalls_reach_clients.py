"""What each client has on the disk and loads through the life of an agent (contract 34).

Each runs with an empty HOME and without an account. The token is in ~/.netrc. One test takes a
client through everything, because each of its commands takes a second.
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
from tests.interfaces.git.test_plugin_versions import write

pytestmark = [pytest.mark.external, pytest.mark.slow]
MARKETPLACE = "agent-marketplace-me"


class Life:
    """A client that has plugins of its agent's repository, and the agent's own calls over MCP."""

    install_command, refresh_command = "install", "update"
    refusal = "could not read Username"

    def __init__(self, client, home, server, agent):
        self.client, self.home, self.server, self.agent = client, home, server, agent
        self.plugins = []
        login = f"machine 127.0.0.1 login x password {agent.token.text}\n"
        (home / ".netrc").write_text(login)
        client("plugin", "marketplace", "add", address(server, "me"))

    def call(self, tool, **arguments):
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        response = self.server.request("POST", "/mcp", message, token=self.agent.token.text)
        assert response.json()["result"]["isError"] is False, response.body

    def install(self, plugin):
        self.client("plugin", self.install_command, f"{plugin}@{MARKETPLACE}")
        self.plugins.append(plugin)

    def refresh(self):
        self.client("plugin", "marketplace", self.refresh_command, MARKETPLACE)

    def refuses_to_refresh(self):
        with pytest.raises(AssertionError, match=self.refusal):
            self.refresh()

    def loaded(self, plugin):
        """The texts of the plugin that the client loads, the manifests included."""
        paths = sorted(path for path in self.folder(plugin).rglob("*") if path.is_file())
        return "".join(path.read_text() for path in paths)

    def assert_loaded(self, plugin, *, has="", lacks=()):
        text = self.loaded(plugin)
        assert has in text
        assert [part for part in lacks if part in text] == []

    def assert_lists(self, *descriptions):
        """What the client itself says that it loads."""
        listed = self.client(*self.list_command)
        assert [text for text in descriptions if text not in listed] == []


class ClaudeCode(Life):
    refusal = "HTTPS authentication failed"

    def refresh(self):
        super().refresh()
        for plugin in self.plugins:
            self.client("plugin", "update", f"{plugin}@{MARKETPLACE}")

    def folder(self, plugin):
        listed = json.loads((self.home / ".claude/plugins/installed_plugins.json").read_text())
        [row] = listed["plugins"][f"{plugin}@{MARKETPLACE}"]
        return self.home / row["installPath"]

    def assert_lists(self, *_descriptions):
        """It has no command that lists descriptions."""


class CodexLife(Life):
    install_command, refresh_command = "add", "upgrade"
    list_command = ("debug", "prompt-input", "Hello")

    def folder(self, plugin):
        return self.home / ".codex/plugins/cache" / MARKETPLACE / plugin


class CopilotCLI(Life):
    list_command = ("skill", "list")

    def refresh(self):
        # It refreshes the marketplace, too.
        self.client("plugin", "update", "--all")

    def folder(self, plugin):
        return self.home / ".copilot/installed-plugins" / MARKETPLACE / plugin


LIVES = {"claude": ClaudeCode, "codex": CodexLife, "copilot": CopilotCLI}


@pytest.fixture(params=LIVES)
def life(request, live_server_of, tmp_path, transactional_db):
    client = request.getfixturevalue(request.param)
    return LIVES[request.param](client, tmp_path, live_server_of(), AgentFactory())


@pytest.mark.contract("34.1", "34.2", "34.3", "34.5")
def test_it_loads_what_its_agent_has(life):
    skill = SkillFactory(slug="pdf-tables", content="# First\n")
    persona = PersonaFactory(slug="archivist", content="Keep.", skills=[skill])
    life.install("everything")
    versions_reach(life, skill)
    recalls_reach(life, skill, persona)

    life.call("uninstall_skill", slug="pdf-tables")
    life.call("uninstall_persona", slug="archivist")
    life.refresh()
    life.assert_loaded("everything", lacks=["RECALLED", "Keep.", "# Second"])
    life.assert_loaded("pdf-tables", has="RECALLED: It leaks, too.")
    life.assert_loaded("archivist", has="RECALLED: It lies.")

    life.agent.token.revoke("Lost")
    life.refuses_to_refresh()
    life.assert_loaded("archivist", has="RECALLED: It lies.")


def versions_reach(life, skill):
    """Its agent installs, pins and updates over MCP, and the pinned version is recalled."""
    life.call("install_skill", slug="pdf-tables")
    life.call("install_persona", slug="archivist", setActive=True)
    life.call("pin_skill", slug="pdf-tables")
    write(skill, content="# Second\n")
    life.refresh()
    life.install("pdf-tables")
    life.install("archivist")
    for plugin in life.plugins:
        life.assert_loaded(plugin, has="# First", lacks=["# Second"])

    skill.versions.get(number=1).recall("It leaks.")
    life.refresh()
    life.assert_loaded("everything", has="RECALLED: It leaks.", lacks=["# First"])
    life.assert_loaded("pdf-tables", has="RECALLED: It leaks.", lacks=["# First"])
    life.assert_loaded("archivist", has="Keep.", lacks=["# First"])

    life.call("update_skill", slug="pdf-tables")
    life.refresh()
    for plugin in life.plugins:
        life.assert_loaded(plugin, has="# Second", lacks=["RECALLED"])


def recalls_reach(life, skill, persona):
    """Its skill is recalled while it is paused, and then its persona."""
    life.agent.pause()
    skill.recall("It leaks, too.")
    life.refuses_to_refresh()
    for plugin in life.plugins:
        life.assert_loaded(plugin, has="# Second", lacks=["RECALLED"])

    life.agent.resume()
    life.refresh()
    life.assert_loaded("everything", has="RECALLED: It leaks, too.", lacks=["# Second"])
    life.assert_loaded("pdf-tables", has="RECALLED: It leaks, too.", lacks=["# Second"])
    life.assert_loaded("archivist", has="Keep.", lacks=["# Second"])

    persona.recall("It lies.")
    life.refresh()
    life.assert_loaded("everything", has="RECALLED: It lies.", lacks=["Keep."])
    life.assert_loaded("archivist", has="RECALLED: It lies.", lacks=["Keep."])
    life.assert_lists("RECALLED: It leaks, too.", "RECALLED: It lies.")
