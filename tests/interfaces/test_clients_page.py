"""docs/agents/clients.md: each line that it says was run is run, as it is printed."""

import json
import re
import shlex
import subprocess

import pytest

from demo.postgres import CHECKOUT
from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.interfaces.git.test_git_clients import claude, client_of_npm, codex  # noqa: F401
from tests.interfaces.test_skills_cli import files_in, skills_cli  # noqa: F401

PAGE = (CHECKOUT / "docs" / "agents" / "clients.md").read_text()
LINES = re.findall(
    r"`((?:claude|codex|npx skills|curl|code) [^`]+)`", PAGE.partition("\n## MCP")[0]
)
ADDRESS = "http://127.0.0.1:8000"


def lines_of(program):
    return [line for line in LINES if line.startswith(f"{program} ") and not line.endswith(" list")]


@pytest.fixture
def run(live_server_of, shell):
    """Run lines of the page with $TOKEN: `run(lines, program)`, where it is not on the PATH."""
    SkillFactory(slug="pdf-tables", content="# Tables\n", files={"scripts/run.py": b"print(1)"})
    PersonaFactory(slug="archivist")
    token = AgentFactory().token.text
    address = f"http://127.0.0.1:{live_server_of().port}"

    def run(lines, program=None):
        name = lines[0].split()[0]
        function = f'{name}() {{ {program} "$@" </dev/null 2>/dev/null; }}\n' if program else ""
        script = "\n".join([f"export TOKEN={token}", *lines]).replace(ADDRESS, address)
        return shell(function + script)

    return run


def test_each_client_has_a_line():
    programs = {line.split()[0] for line in LINES}

    assert programs == {"claude", "codex", "npx", "curl", "code"}
    assert len(lines_of("claude")) == len(lines_of("codex")) == 3


def test_the_line_of_curl_runs_as_printed(run):
    printed, statuses = run(lines_of("curl"))

    assert statuses == [200]
    assert printed.startswith("---\nname: pdf-tables\n")


def test_the_line_of_vs_code_is_json_to_a_shell():
    [line] = lines_of("code")

    _, option, server = shlex.split(line)

    assert option == "--add-mcp"
    assert json.loads(server) == {"name": "marketplace", "type": "http", "url": f"{ADDRESS}/mcp"}


@pytest.mark.external
def test_the_lines_of_claude_code_run_as_printed(run, claude, tmp_path):  # noqa: F811
    printed, _ = run([*lines_of("claude"), "claude mcp list"], claude.program)

    assert re.search(r"marketplace: http://127\.0\.0\.1:\d+/mcp \(HTTP\) - \S+ Connected", printed)
    assert list(tmp_path.glob(".claude/plugins/cache/agent-marketplace/pdf-tables/*/plugin.json"))


@pytest.mark.external
def test_the_lines_of_codex_run_as_printed(run, codex, tmp_path):  # noqa: F811
    printed, _ = run([*lines_of("codex"), "codex mcp list"], codex.program)

    assert re.search(r"marketplace +http://127\.0\.0\.1:\d+/mcp +TOKEN +enabled", printed)
    assert list(tmp_path.glob(".codex/plugins/cache/agent-marketplace/pdf-tables/*/plugin.json"))


@pytest.mark.external
@pytest.mark.parametrize("line", lines_of("npx skills"))
def test_the_lines_of_the_skills_cli_run_as_printed(
    live_server_of,
    skills_cli,  # noqa: F811
    tmp_path,
    line,
):
    skill = SkillFactory(slug="pdf-tables", content="# Tables\n", files={"run.py": b"print(1)"})
    command, environment = skills_cli
    here = line.replace(ADDRESS, f"http://127.0.0.1:{live_server_of().port}")
    arguments = shlex.split(here)[2:]

    done = subprocess.run(
        [*command, *arguments],
        cwd=tmp_path,
        env={**environment, "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    [installed] = tmp_path.glob(".agents/skills/pdf-tables")
    assert files_in(installed) == {"SKILL.md": skill.file_text.encode(), "run.py": b"print(1)"}
