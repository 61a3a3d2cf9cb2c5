"""Real clients install from the repositories: Claude Code, Codex and the `skills` CLI of npm.

Each runs with an empty HOME and without an account.
"""

import os
import subprocess

import pytest

from tests.external import npm_folder, run_or_skip
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, SkillInstallFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.test_skills_cli import add, files_in, skills_cli  # noqa: F401

pytestmark = pytest.mark.external

CLAUDE_CODE, CODEX = "@anthropic-ai/claude-code@2.1.332", "@openai/codex@0.171.0"
COPILOT = "@github/copilot@1.0.102"
FILES = {"scripts/run.py": b"print(1)\r\n"}


class InstalledClient:
    """A program of npm, with `home` as its empty HOME."""

    def __init__(self, program, home):
        self.program, self.home = program, home

    def __call__(self, *arguments):
        done = subprocess.run(
            [self.program, *arguments],
            cwd=self.home,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.home),
                "GIT_TERMINAL_PROMPT": "0",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        output = done.stdout + done.stderr
        assert done.returncode == 0, output
        return output


@pytest.fixture
def client_of_npm(request, tmp_path):
    def client_of_npm(package, program):
        folder = npm_folder(request.config, package)
        installed = folder / "node_modules/.bin" / program
        # npm succeeds without the platform's package if it cannot fetch that one.
        run_or_skip(folder, str(installed), "--version")
        return InstalledClient(installed, tmp_path)

    return client_of_npm


@pytest.fixture
def claude(client_of_npm):
    return client_of_npm(CLAUDE_CODE, "claude")


@pytest.fixture
def codex(client_of_npm):
    return client_of_npm(CODEX, "codex")


@pytest.fixture
def copilot(client_of_npm):
    return client_of_npm(COPILOT, "copilot")


@pytest.fixture
def skill(transactional_db):
    skill = SkillFactory(slug="pdf-tables", content="# Tables\n", files=FILES)
    PersonaFactory(
        slug="archivist", description="Keeps: everything", content="Keep.", skills=[skill]
    )
    return skill


def folder_of(skill):
    return {"SKILL.md": skill.file_text.encode(), **FILES}


def installed_plugin(home, pattern):
    """The files of the newest cached version of a plugin."""
    *_, folder = sorted(home.glob(pattern))
    return files_in(folder)


@pytest.mark.contract("27.4", "34.6")
def test_claude_code_finds_nothing_wrong(live_server_of, git, claude, skill, tmp_path):
    recalled = [SkillFactory(slug="gone"), PersonaFactory(slug="liar")]
    server, agent = live_server_of(), AgentFactory()
    for entry in recalled:
        entry.recall("It: leaks.")
    SkillInstallFactory(agent=agent, skill=skill)
    SkillInstallFactory(agent=agent, skill=recalled[0])
    git("clone", address(server, "catalogue"))
    git("clone", address(server, "personas/archivist"))
    git("clone", address(server, "me", agent.token))

    for folder in ("catalogue", "archivist", "me"):
        plugins = (tmp_path / folder / "plugins").iterdir()
        for path in (folder, *(f"{folder}/plugins/{plugin.name}" for plugin in plugins)):
            assert "Validation passed" in claude("plugin", "validate", "--strict", path)


@pytest.mark.contract("27.4")
def test_claude_code_installs_and_updates(live_server_of, claude, skill, tmp_path):
    url = address(live_server_of(), "catalogue")
    claude("plugin", "marketplace", "add", url)
    claude("plugin", "install", "pdf-tables@agent-marketplace")
    claude("plugin", "install", "archivist@agent-marketplace")

    cache = ".claude/plugins/cache/agent-marketplace"
    assert installed_plugin(tmp_path, f"{cache}/pdf-tables/*/skills/pdf-tables") == folder_of(skill)
    persona = installed_plugin(tmp_path, f"{cache}/archivist/*")
    assert persona["agents/archivist.md"].endswith(b"\n\nKeep.")
    assert persona["skills/pdf-tables/SKILL.md"] == skill.file_text.encode()
    # What Claude Code loads of the plugin.
    details = claude("plugin", "details", "archivist@agent-marketplace")
    assert "archivist" in details
    assert "pdf-tables" in details

    skill.content = "# Second\n"
    skill.save()
    claude("plugin", "marketplace", "update", "agent-marketplace")
    claude("plugin", "update", "pdf-tables@agent-marketplace")

    assert "2.0.0" in claude("plugin", "list")
    updated = installed_plugin(tmp_path, f"{cache}/pdf-tables/2.0.0/skills/pdf-tables")
    assert updated == folder_of(skill)


@pytest.mark.contract("27.4")
def test_codex_installs(live_server_of, codex, skill, tmp_path):
    agent = AgentFactory()
    SkillInstallFactory(agent=agent, skill=skill)
    server = live_server_of()
    codex("plugin", "marketplace", "add", address(server, "catalogue"))
    codex("plugin", "marketplace", "add", address(server, "me", agent.token))

    for plugin in ("pdf-tables@agent-marketplace", "archivist@agent-marketplace"):
        codex("plugin", "add", plugin)
    codex("plugin", "add", "pdf-tables@agent-marketplace-me")

    cache = ".codex/plugins/cache"
    for plugin in (
        "agent-marketplace/pdf-tables",
        "agent-marketplace/archivist",
        "agent-marketplace-me/pdf-tables",
    ):
        path = f"{cache}/{plugin}/*/skills/pdf-tables"
        assert installed_plugin(tmp_path, path) == folder_of(skill)


@pytest.mark.contract("27.4")
@pytest.mark.parametrize(("tag", "text"), [("", b"# Second"), ("#v1", b"# Tables")])
def test_the_skills_cli_installs_a_repository(
    live_server_of,
    skills_cli,  # noqa: F811
    skill,
    tmp_path,
    tag,
    text,
):
    skill.content = "# Second\n"
    skill.save()

    add(skills_cli, address(live_server_of(), "skills/pdf-tables") + tag, tmp_path)

    files = files_in(tmp_path / ".claude" / "skills" / "pdf-tables")
    assert text in files.pop("SKILL.md")
    assert files == FILES
