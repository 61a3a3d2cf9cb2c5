"""The workflows of docs/agents/publish-from-ci.md, against a server and an issuer on loopback"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from catalogue.models import Skill
from demo.postgres import CHECKOUT
from submissions.models import Submission
from tests.publishers.test_exchanging import GITLAB

PAGE = CHECKOUT / "docs/agents/publish-from-ci.md"
EXAMPLE = CHECKOUT / "examples/publishing"
FILES = [".github/workflows/publish.yml", ".gitlab-ci.yml"]


@pytest.mark.contract("31.2")
@pytest.mark.parametrize("name", FILES)
def test_the_page_has_the_workflows_of_the_example(name):
    blocks = re.findall(rf"`{re.escape(name)}`.*?```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)

    assert blocks == [(EXAMPLE / name).read_text()]


@pytest.fixture
def url(live_server_of):
    return f"http://127.0.0.1:{live_server_of(SUBMISSIONS='open').port}"


@pytest.fixture
def run_steps(tmp_path, url):
    """Run commands in a checkout of the example, as CI does."""
    checkout = tmp_path / "checkout"
    shutil.copytree(EXAMPLE, checkout)

    def run_steps(*commands, **environment):
        environment |= {"MARKETPLACE": url, "PATH": path_with_python(tmp_path)}
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", "\n".join(commands)],
            cwd=checkout,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run_steps


def path_with_python(folder):
    python = folder / "bin/python3"
    if not python.exists():
        python.parent.mkdir()
        python.symlink_to(sys.executable)
    return f"{python.parent}{os.pathsep}{os.environ['PATH']}"


def workflow(name):
    # YAML 1.1 reads `on:` as true.
    return yaml.safe_load((EXAMPLE / name).read_text())


@pytest.mark.contract("31.2", "31.13")
def test_github_actions(run_steps, issuer, agent, url):
    """The run requests its token at an address that GitHub gives to it."""
    job = workflow(FILES[0])["jobs"]["publish"]
    assert job["permissions"] == {"contents": "read", "id-token": "write"}
    assert set(job["env"]) == {"MARKETPLACE"}
    assert job["steps"][0]["with"] == {"persist-credentials": False}
    issuer.publisher(agent, audience=url)
    path = f"/token?api-version=2.0&audience={url}"

    def answer(handler):
        assert handler.headers["Authorization"] == "Bearer of-the-run"
        [audience] = parse_qs(urlsplit(handler.path).query)["audience"]
        handler.reply(f'{{"value": "{issuer.token(aud=audience)}"}}'.encode())

    issuer.answers[path] = answer

    def run():
        return run_steps(
            *(step["run"] for step in job["steps"] if "run" in step),
            ACTIONS_ID_TOKEN_REQUEST_URL=f"{issuer.url}/token?api-version=2.0",
            ACTIONS_ID_TOKEN_REQUEST_TOKEN="of-the-run",
        )

    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "count-words Skill submitted\n", "")
    [sent] = Submission.objects.all()
    assert (sent.agent, sent.slug, sent.provenance["run"]) == (agent, "count-words", "15873202911")
    assert run().stdout == "count-words is pending\n"


@pytest.mark.contract("31.2", "31.13")
def test_gitlab(run_steps, issuer, agent, url):
    job = workflow(FILES[1])["publish"]
    assert job["id_tokens"] == {"ID_TOKEN": {"aud": job["variables"]["MARKETPLACE"]}}
    about = {"project_claim": "project_id", "project": "20", "ref": "main"}
    issuer.publisher(agent, audience=url, **about)
    token = issuer.token(aud=url, **GITLAB)

    done = run_steps(*job["script"], ID_TOKEN=token)
    assert (done.returncode, done.stdout, done.stderr) == (0, "count-words Skill submitted\n", "")
    assert Submission.objects.get().provenance["run"] == "574"

    done = run_steps(*job["script"], ID_TOKEN=token)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "Token is not accepted\n")


@pytest.fixture
def run(run_steps, issuer, agent, url):
    """Run publish.py with a new token."""
    issuer.publisher(agent, audience=url)
    return lambda: run_steps("python3 publish.py", ID_TOKEN=issuer.token(aud=url))


@pytest.fixture
def skill(run_steps):
    """The file of the example's skill in the checkout."""
    return Path(run_steps("pwd").stdout.strip()) / "skills/count-words/SKILL.md"


def add_line(skill):
    skill.write_text(skill.read_text() + "\nCount twice.\n")


@pytest.mark.contract("31.13")
def test_only_a_skill_that_has_changed_is_submitted(run, skill, approve):
    (skill.parent / "bin").mkdir()
    (skill.parent / "bin/count").write_text("#!/bin/sh\nwc -w")
    (skill.parent / "bin/count").chmod(0o755)
    assert run().stdout == "count-words Skill submitted\n"
    assert run().stdout == "count-words is pending\n"
    approve()
    again = run()
    assert (again.returncode, again.stdout) == (0, "count-words is published\n")
    add_line(skill)
    assert run().stdout == "count-words Skill submitted\n"
    Submission.objects.pending().get().reject("Too short.")
    again = run()
    assert (again.returncode, again.stdout) == (1, "count-words is rejected: Too short.\n")
    skill.write_text("No frontmatter")
    assert run().returncode == 1


@pytest.mark.contract("29.7", "31.13")
def test_a_change_is_outdated_once_staff_have_changed_the_skill(run, skill, approve):
    run()
    approve()
    add_line(skill)
    run()
    assert Submission.objects.pending().get().findings == []

    entry = Skill.objects.get()
    entry.content += "\nNot for numbers.\n"
    entry.save()
    add_line(skill)
    assert run().stdout == "count-words Skill submitted\n"
    [finding] = Submission.objects.pending().get().findings
    assert (finding["code"], finding["text"]) == (
        "outdated",
        "made from version 1, and the newest is 2",
    )


@pytest.mark.contract("31.13")
def test_a_skill_that_staff_have_imported_is_no_error(run, approve):
    run()
    approve()
    Submission.objects.update(slug="another")

    again = run()
    assert (again.returncode, again.stdout) == (0, "count-words Nothing has changed\n")


@pytest.mark.contract("31.13")
def test_a_link_is_not_followed(run, skill):
    (skill.parent / "notes.md").symlink_to("../../publish.py")

    linked = run()
    assert (linked.returncode, linked.stderr) == (1, "count-words has a link\n")
