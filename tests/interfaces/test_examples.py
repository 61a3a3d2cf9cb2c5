"""examples/ run as they are, each with the packages that it names, against a real server."""

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agents.models import Agent
from catalogue.models import Skill
from demo.postgres import CHECKOUT
from reports.models import Report
from submissions.models import Submission
from tests.api.versions import rewrite
from tests.external import npm_folder, run, run_or_skip
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.interfaces.test_skills_cli import files_in

FOLDER = CHECKOUT / "examples"
EXAMPLES = [path for path in sorted(FOLDER.iterdir()) if path.suffix in {".py", ".mts"}]
NPM_PACKAGES = re.compile(r"npm install (.+)")
FILES = {"scripts/run.py": b"print(1)\r\n", "é.txt": b"e"}
PAGES = ["docs/agents/quickstart.md", "docs/agents/mirroring.md", "examples/README.md"]
COMMAND = re.compile(r"^\S*uv run \S*?(\w+\.py) http://127\.0\.0\.1:8000 (.+)", re.MULTILINE)
OTHER_DIGEST = "def digest_of(data): return 'sha256:other'\nunpack = None\n"
OVER_MCP = ["mcp_client.py", "openai_agent.py", "langchain_agent.py", "crewai_agent.py"]


@pytest.fixture
def server(live_server_of):
    skill = SkillFactory(slug="pdf-tables", title="PDF Tables", content="# Tables\n", files=FILES)
    PersonaFactory(slug="archivist", content="Keep everything.", skills=[skill])
    server = live_server_of()
    server.url = f"http://127.0.0.1:{server.port}"
    return server


@pytest.fixture
def run_example(server, tmp_path):
    """Run an example in an empty folder, which is its HOME: `run_example("agent.py", …)`."""
    uv = Path(sys.executable).with_name("uv")
    cache = subprocess.run([uv, "cache", "dir"], capture_output=True, text=True, check=True)
    environment = {**os.environ, "HOME": str(tmp_path), "UV_CACHE_DIR": cache.stdout.strip()}
    for name in ("MARKETPLACE_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        environment.pop(name, None)

    def run_example(name, *arguments, folder=FOLDER):
        run_or_skip(tmp_path, str(uv), "sync", "--quiet", "--script", str(folder / name))
        return subprocess.run(
            [uv, "run", "--quiet", "--script", folder / name, server.url, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    return run_example


def account_of(server, home, agent):
    """The file in which an agent keeps its token."""
    account = home / ".agent-marketplace" / f"127.0.0.1-{server.port}.json"
    account.parent.mkdir()
    account.write_text(json.dumps({"token": agent.token.text}))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short_and_says_how_to_run_it(path):
    text = path.read_text()

    assert len(text.splitlines()) <= 40
    assert re.search(rf"\b(uv run|python|npx tsx) {path.name}\b", text)
    assert f"[{path.name}]({path.name})" in (FOLDER / "README.md").read_text()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_list_names_the_versions_that_are_run(path):
    packages = re.findall(r'"([\w.-]+(?:\[\w+\])?)==([\d.]+)"', path.read_text())
    packages += re.findall(r" (@?[\w/-]+)@([\d.]+)", path.read_text())
    [row] = [
        line
        for line in (FOLDER / "README.md").read_text().splitlines()
        if f"]({path.name})" in line
    ]

    for name, version in packages:
        assert f"{name} {version}" in row


@pytest.mark.external
def test_an_agent_registers_installs_and_verifies(run_example, server, tmp_path):
    done = run_example("agent.py", "extract tables from pdf", "skills")

    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"Installed version 1 of pdf-tables, verified, in \S+\n", done.stdout)
    [install] = Agent.objects.get(name="Example Agent").skill_installs.present()
    assert (install.skill.slug, install.runtime) == ("pdf-tables", "python")
    assert files_in(tmp_path / "skills") == {
        "pdf-tables/SKILL.md": install.skill.file_text.encode(),
        **{f"pdf-tables/{path}": data for path, data in FILES.items()},
    }
    account = tmp_path / ".agent-marketplace" / f"127.0.0.1-{server.port}.json"
    assert stat.S_IMODE(account.stat().st_mode) == 0o600

    again = run_example("agent.py", "extract tables from pdf", "skills")

    assert (again.returncode, again.stderr) == (1, "Skill already installed\n")
    assert Agent.objects.count() == 1


@pytest.mark.external
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_examples_run_as_printed(run_example, page):
    commands = COMMAND.findall((CHECKOUT / page).read_text())

    assert commands
    for name, arguments in commands:
        done = run_example(name, *shlex.split(arguments.replace("/tmp/", "")))
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.external
def test_an_agent_reports_what_was_changed_on_the_way(run_example, tmp_path):
    shutil.copy(FOLDER / "agent.py", tmp_path)
    (tmp_path / "downloads.py").write_text(OTHER_DIGEST)

    done = run_example("agent.py", "pdf", "skills", folder=tmp_path)

    assert done.returncode == 1
    assert done.stderr == "pdf-tables is not what was published: reported to the staff\n"
    assert Report.objects.get().case.skill.slug == "pdf-tables"


@pytest.mark.external
def test_a_start_loads_and_verifies_what_the_agent_has(run_example, server, tmp_path):
    agent = AgentFactory()
    account_of(server, tmp_path, agent)
    persona = PersonaFactory(slug="active", content="Be brief.")
    PersonaInstallFactory(agent=agent, persona=persona, is_active=True)
    skill, changed = Skill.objects.get(), SkillFactory(slug="changed", content="# First\n")
    recalled = SkillFactory(slug="recalled")
    for entry in (skill, changed, recalled):
        SkillInstallFactory(agent=agent, skill=entry)
    rewrite(changed, "# Second\n")
    recalled.recall("It leaks.")

    done = run_example("startup.py", "skills")

    assert (done.returncode, done.stdout) == (0, "Be brief.\n")
    assert done.stderr.splitlines() == [
        "Stop using recalled: It leaks.",
        "changed has a new text: read it before you use it",
    ]
    assert files_in(tmp_path / "skills") == {
        "changed/SKILL.md": changed.file_text.encode(),
        "pdf-tables/SKILL.md": skill.file_text.encode(),
        **{f"pdf-tables/{path}": data for path, data in FILES.items()},
    }


@pytest.mark.external
def test_a_start_stops_at_what_was_changed_on_the_way(run_example, server, tmp_path):
    agent = AgentFactory()
    account_of(server, tmp_path, agent)
    SkillInstallFactory(agent=agent, skill=Skill.objects.get())
    shutil.copy(FOLDER / "startup.py", tmp_path)
    (tmp_path / "downloads.py").write_text(OTHER_DIGEST)

    done = run_example("startup.py", "skills", folder=tmp_path)

    assert (done.returncode, done.stderr) == (1, "pdf-tables is not what was published\n")
    assert not (tmp_path / "skills").exists()


@pytest.mark.external
def test_a_mirror_follows_the_catalogue(run_example, server, tmp_path):
    first = run_example("mirror.py", "mirror")
    Skill.objects.get().recall("It leaks.")
    SkillFactory(slug="newer")

    second = run_example("mirror.py", "mirror")

    assert sorted(first.stdout.splitlines()) == [
        "updated personas/archivist",
        "updated skills/pdf-tables",
    ]
    assert "withdrawn skills/pdf-tables" in second.stdout
    assert set(files_in(tmp_path / "mirror")) == {
        "next",
        "personas/archivist.json",
        "skills/newer.json",
    }
    newer = tmp_path / "mirror" / "skills" / "newer.json"
    assert newer.read_bytes() == server.request("GET", "/api/v1/skills/newer").body


def test_an_author_submits_a_folder(server, tmp_path):
    account_of(server, tmp_path, AgentFactory(handle="author"))
    folder = tmp_path / "pdf-tables"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: pdf-tables\nlicense: MIT\n---\n\n# Tables\n")
    (folder / "scripts" / "run.py").write_text("print(2)\n")
    (folder / "scripts" / "run.py").chmod(0o755)

    def submit(*arguments):
        command = [sys.executable, FOLDER / "submit_skill.py", server.url, folder, *arguments]
        environment = {**os.environ, "HOME": str(tmp_path)}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    first, again = submit("Tested with scans.", "1"), submit("Again.", "1")

    printed = "Skill submitted pdf-tables ['format', 'script']\n"
    assert [(done.stdout, done.stderr) for done in (first, again)] == [(printed, "")] * 2
    submission = Submission.objects.get()
    assert (submission.base_number, submission.note) == (1, "Again.")
    assert [(file["path"], file["is_executable"]) for file in submission.files] == [
        ("scripts/run.py", True)
    ]
    token = tmp_path / ".agent-marketplace" / f"127.0.0.1-{server.port}.author.json"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    (folder / "SKILL.md").unlink()
    assert submit("Without a text.").stderr == (
        "The zip must hold one SKILL.md, at its root or in one folder with all its files\n"
    )


@pytest.mark.external
@pytest.mark.parametrize("name", OVER_MCP)
def test_a_framework_loads_the_tools_and_calls_one(run_example, name):
    question = ["extract tables"] if name == "openai_agent.py" else []

    done = run_example(name, *question)

    assert done.returncode == 0, done.stderr
    assert re.search(r"^Tools: .*\binstall_skill\b", done.stdout, re.MULTILINE)
    assert re.search(r"pdf-tables\b.*PDF Tables", done.stdout)


@pytest.mark.external
def test_claude_code_loads_the_tools(run_example):
    done = run_example("claude_agent.py", "Which skill extracts tables?")

    assert done.returncode == 0, done.stderr
    assert re.match(r"connected .*\bsearch_skills\b.*\binstall_skill\b", done.stdout)


@pytest.mark.external
def test_typescript_loads_the_tools_and_calls_one(request, server):
    packages = NPM_PACKAGES.search((FOLDER / "mcp_client.mts").read_text())[1].split()
    folder = npm_folder(request.config, *packages)
    program = Path(shutil.copy(FOLDER / "mcp_client.mts", folder))

    printed = run(folder, "node_modules/.bin/tsx", program.name, server.url)

    assert re.search(r"^Tools: .*\binstall_skill\b", printed)
    assert "pdf-tables - PDF Tables\n" in printed
