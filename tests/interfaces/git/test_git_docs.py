"""The commands of docs/agents/git.md and of the README work as printed."""

import re

import pytest

from demo.postgres import CHECKOUT
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.git.test_git_clients import (  # noqa: F401
    claude,
    client_of_npm,
    codex,
    copilot,
)

PAGE = (CHECKOUT / "docs" / "agents" / "git.md").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
ADDRESS = "http://127.0.0.1:8000"


def commands(program):
    """The blocks that begin with the program, as one script."""
    return "".join(block for block in BLOCKS if block.startswith(program))


@pytest.fixture
def run(live_server_of, shell):
    SkillFactory(slug="pdf-tables", content="# Tables\n")
    PersonaFactory(slug="archivist")
    address = f"http://127.0.0.1:{live_server_of().port}"

    def run(script):
        here = script.replace(ADDRESS, address)
        here = here.replace("@127.0.0.1:8000", address.replace("http://", "@"))
        # git tells people on standard error what it does.
        return shell(here.replace("git clone", "git clone -q"))

    return run


def test_git_clones_as_printed(run, tmp_path):
    printed, _ = run(commands("git"))

    assert "Version 1" in printed
    assert (tmp_path / "pdf-tables" / "SKILL.md").exists()


def test_an_agent_clones_what_it_has_as_printed(run, tmp_path):
    _, statuses = run(commands("API="))

    assert statuses == [201, 201]
    assert (tmp_path / "me" / ".claude-plugin" / "marketplace.json").exists()


@pytest.mark.external
@pytest.mark.parametrize("program", ["claude", "codex"])
def test_plugins_are_installed_as_printed(request, run, program):
    client = request.getfixturevalue(program)
    script = commands(f"{program} plugin marketplace add {ADDRESS}/git/catalogue.git")
    refresh = {"claude": "update", "codex": "upgrade"}[program]
    script += commands(f"{program} plugin marketplace {refresh}")

    run(f'{program}() {{ {client.program} "$@" >/dev/null 2>&1; }}\n{script}')


@pytest.mark.external
@pytest.mark.parametrize("program", ["claude", "codex", "copilot"])
def test_everything_is_installed_as_printed(request, run, tmp_path, program):
    client = request.getfixturevalue(program)
    script = commands("API=") + f'{program}() {{ {client.program} "$@" >/dev/null 2>&1; }}\n'

    run(script + commands(f"{program} plugin marketplace add {ADDRESS}/git/me.git"))

    assert list(tmp_path.rglob("agent-marketplace-me/everything/**/plugin.json"))


@pytest.mark.external
def test_the_line_of_the_readme_runs_as_printed(run, claude, tmp_path):  # noqa: F811
    [line] = re.findall(r"`(claude plugin [^`]+)`", (CHECKOUT / "README.md").read_text())

    run(f'claude() {{ {claude.program} "$@" >/dev/null 2>&1; }}\n{line}')

    assert list(tmp_path.glob(".claude/plugins/cache/agent-marketplace/pdf-tables/*/plugin.json"))
