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
    assert run().stdout == "count-words Skill submitted\n"


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


@pytest.mark.contract("31.13")
def test_a_skill_that_has_not_changed_is_no_error(run_steps, issuer, agent, url, approve):
    issuer.publisher(agent, audience=url)

    def run():
        return run_steps("python3 publish.py", ID_TOKEN=issuer.token(aud=url))

    assert run().returncode == 0
    approve()
    again = run()
    assert (again.returncode, again.stdout) == (0, "count-words Nothing has changed\n")
    skill = Path(run_steps("pwd").stdout.strip()) / "skills/count-words/SKILL.md"
    skill.write_text(skill.read_text().replace("Run", "Always run"))
    assert run().stdout == "count-words Skill submitted\n"
    assert Submission.objects.pending().get().findings == []
    skill.write_text("No frontmatter")
    assert run().returncode == 1
    (skill.parent / "notes.md").symlink_to("../../publish.py")
    linked = run()
    assert (linked.returncode, linked.stderr) == (1, "count-words has a link\n")
