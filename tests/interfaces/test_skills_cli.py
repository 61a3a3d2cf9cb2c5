"""The `skills` CLI of npm installs what discovery offers."""

import os
import subprocess

import pytest

from catalogue.models import FileContent, Skill
from demo.postgres import CHECKOUT
from tests.external import npm_program
from tests.factories import PersonaFactory, SkillFactory
from tests.imports import import_skills
from tests.interfaces.skill_files import problems

REAL = CHECKOUT.parent / "shared" / "data" / "skills"

# By name: for a range, npm takes what runs on the Node.js that it runs on itself.
VERSIONS = ["latest", "1.5"]


@pytest.fixture(scope="session", params=VERSIONS)
def skills_cli(request):
    """The command line of `npx skills` and its environment."""
    command = npm_program(request.config, f"skills@{request.param}", "skills")
    return command, {**os.environ, "DISABLE_TELEMETRY": "1"}


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

    add(skills_cli, f"http://127.0.0.1:{server.port}{path}", tmp_path)

    files = {file.parent.name: file.read_text() for file in tmp_path.glob(".claude/skills/*/*.md")}
    assert sorted(files) == installed
    for name, text in files.items():
        own = name == "agent-marketplace"
        url = "/skill.md" if own else f"/api/v1/skills/{name}/SKILL.md"
        assert text == server.request("GET", url).body.decode()
        assert problems(text, name) == []


@pytest.mark.external
@pytest.mark.parametrize("path", ["/skills/pdf-tables", "/personas/archivist"])
def test_the_skills_cli_installs_a_folder(live_server_of, skills_cli, tmp_path, path):
    files = {"scripts/run.py": b"print(1)\r\n", "data/é #1.bin": bytes(range(256)), "LICENSE": b""}
    skill = SkillFactory(slug="pdf-tables", content="# Tables\n", files=files)
    PersonaFactory(slug="archivist", skills=[skill])
    server = live_server_of()

    add(skills_cli, f"http://127.0.0.1:{server.port}{path}", tmp_path)

    folder = tmp_path / ".claude" / "skills" / "pdf-tables"
    assert files_in(folder) == {"SKILL.md": skill.file_text.encode(), **files}
    # The CLI drops the executable bit.
    assert not (folder / "scripts" / "run.py").stat().st_mode & 0o100


@pytest.mark.external
@pytest.mark.skipif(not REAL.exists(), reason=f"the real files are not at hand: no {REAL}")
def test_the_skills_cli_installs_every_real_folder(live_server_of, skills_cli, tmp_path):
    import_skills(REAL)
    skills = list(Skill.objects.all())
    PersonaFactory(slug="archivist", skills=skills)
    server = live_server_of()

    add(skills_cli, f"http://127.0.0.1:{server.port}/personas/archivist", tmp_path)

    installed = {folder.name: files_in(folder) for folder in tmp_path.glob(".claude/skills/*")}
    assert len(skills) > 50
    for skill in skills:
        contents = FileContent.objects.of(skill.files)
        files = {file["path"]: contents[file["digest"]] for file in skill.files}
        assert installed[skill.slug] == {"SKILL.md": skill.file_text.encode(), **files}


def files_in(folder):
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def add(skills_cli, url, folder):
    """Install what a URL offers into the folder."""
    command, environment = skills_cli
    done = subprocess.run(
        [
            *command,
            *("add", url),
            *("--yes", "--copy", "--agent", "claude-code"),
        ],
        cwd=folder,
        env={**environment, "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
