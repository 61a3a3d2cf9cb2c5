"""The `skills` CLI of npm installs what discovery offers."""

import os
import re
import shutil
import subprocess

import pytest

from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.skill_files import problems


@pytest.fixture(scope="session")
def skills_cli():
    """The command line of `npx skills`; with a newer Node.js beside it where ours is too old."""
    if shutil.which("npx") is None:
        pytest.skip("needs npm")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    node = tuple(int(part) for part in re.findall(r"\d+", version.stdout))
    newer = [] if node >= (22, 20) else ["--package", "node@22"]
    command = ["npx", "--yes", *newer, "--package", "skills@1", "--", "skills"]
    # npm's own cache holds what it downloads, whatever HOME a test sets.
    cache = subprocess.run(
        ["npm", "config", "get", "cache"], capture_output=True, text=True, check=True
    )
    environment = {**os.environ, "npm_config_cache": cache.stdout.strip(), "DISABLE_TELEMETRY": "1"}
    try:
        there = (
            subprocess.run(
                [*command, "--version"],
                env=environment,
                capture_output=True,
                timeout=180,
                check=False,
            ).returncode
            == 0
        )
    except subprocess.TimeoutExpired:
        there = False
    if not there:
        pytest.skip("needs the npm registry")
    return command, environment


@pytest.mark.external
@pytest.mark.parametrize(
    ("path", "installed"),
    [
        ("", ["agent-marketplace"]),
        ("/skills/pdf-tables", ["pdf-tables"]),
        ("/personas/archivist", ["csv-cleaning", "pdf-tables"]),
    ],
)
def test_the_skills_cli_installs(live_server_of, skills_cli, tmp_path, path, installed):
    skill = SkillFactory(slug="pdf-tables", content="# Tables\n\n---\n\nRead them.\n")
    PersonaFactory(slug="archivist", skills=[skill, SkillFactory(slug="csv-cleaning")])
    server = live_server_of()
    command, environment = skills_cli

    done = subprocess.run(
        [
            *command,
            *("add", f"http://127.0.0.1:{server.port}{path}"),
            *("--yes", "--copy", "--agent", "claude-code"),
        ],
        cwd=tmp_path,
        env={**environment, "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    files = {file.parent.name: file.read_text() for file in tmp_path.glob(".claude/skills/*/*.md")}
    assert sorted(files) == installed
    for name, text in files.items():
        own = name == "agent-marketplace"
        url = "/skill.md" if own else f"/api/v1/skills/{name}/SKILL.md"
        assert text == server.request("GET", url).body.decode()
        assert problems(text, name) == []
