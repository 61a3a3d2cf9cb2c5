"""Clients that are generated from the document walk from registering to a review."""

import json
import shutil
from pathlib import Path

import pytest

from agents.models import Agent
from tests.external import fetched, run, run_or_skip
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

pytestmark = pytest.mark.external

PROGRAMS = Path(__file__).with_name("clients")
GENERATOR = "openapi-python-client==0.29.1"
PACKAGES = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"]


@pytest.fixture
def folder(tmp_path):
    """Where a client is made: `document.json` and the program are there."""
    for program in PROGRAMS.glob("walk.*"):
        shutil.copy(program, tmp_path)
    (tmp_path / "package.json").write_text(json.dumps({"type": "module", "private": True}))
    return tmp_path


@pytest.fixture
def server(live_server_of, folder):
    skill = SkillFactory(slug="pdf-tables", title="PDF Tables", tags=["pdf"])
    review(AgentFactory(), PersonaFactory(slug="archivist", skills=[skill]), 5)
    server = live_server_of()
    document = server.request("GET", "/api/v1/openapi.json").body
    (folder / "document.json").write_bytes(document)
    server.url = f"http://127.0.0.1:{server.port}"
    return server


def assert_the_walk_was_walked(name):
    agent = Agent.objects.get(name=name)
    for made in (agent.skill_installs, agent.persona_installs, agent.reviews):
        assert made.count() == 1


def test_openapi_python_client(server, folder):
    uv = fetched(GENERATOR, folder)

    # It knows no zip by itself.
    (folder / "config.yml").write_text(
        "content_type_overrides:\n  application/zip: application/octet-stream\n"
    )
    made = ["--path", "document.json", "--meta", "none", "--output-path", "generated"]
    made += ["--config", "config.yml"]
    run(folder, *uv, "openapi-python-client", "generate", "--fail-on-warning", *made)
    run(folder, *uv, "python", "walk.py", server.url)

    assert_the_walk_was_walked("Generated Client")


def test_openapi_typescript(server, folder):
    run_or_skip(folder, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund", *PACKAGES)

    run(folder, "npx", "openapi-typescript", "document.json", "-o", "generated.ts")
    strict = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"]
    run(folder, "npx", "tsc", *strict, "walk.ts")
    run(folder, "node", "walk.js", server.url)

    assert_the_walk_was_walked("Typed Client")
