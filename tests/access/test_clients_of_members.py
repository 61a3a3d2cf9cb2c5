"""Which clients that others wrote read a members-only marketplace (docs/deploy/private.md)"""

import json
import subprocess
import zipfile
from io import BytesIO

import pytest

from agents.models import AgentToken
from tests.external import fetched, run
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, SkillInstallFactory
from tests.interfaces.test_generated_clients import GENERATOR
from tests.interfaces.test_mcp_clients import WALK, npm_client, walk  # noqa: F401
from tests.interfaces.test_mcp_skills_clients import FASTMCP, HERE, npm_skills  # noqa: F401
from tests.interfaces.test_skills_cli import add, files_in, skills_cli  # noqa: F401

pytestmark = pytest.mark.external

FILES = {"scripts/run.py": b"print(1)"}
URI = "skill://skills/pdf-tables/SKILL.md"
GENERATED = """
import sys

from generated import AuthenticatedClient
from generated.api.catalogue import get_skill, list_changes, list_skills
from generated.models import Error

url, token = sys.argv[1:]
me = AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True)
found = list_skills.sync(client=me, q="pdf tables")
assert get_skill.sync(found.results[0].slug, client=me).slug == "pdf-tables"
assert len(list_changes.sync(client=me).results) == 2
revoked = AuthenticatedClient(base_url=url, token="mkt_agent_x", raise_on_unexpected_status=True)
assert list_skills.sync(client=revoked) == Error(error="Authentication required")
"""


@pytest.fixture
def agent(transactional_db):
    skill = SkillFactory(slug="pdf-tables", title="PDF Tables", files=FILES, content="# Follow me")
    PersonaFactory(slug="archivist", title="The Archivist", description="Keeps the archive.")
    return SkillInstallFactory(skill=skill).agent


@pytest.fixture
def server(live_server_of, agent):
    return live_server_of(CATALOGUE="members")


@pytest.mark.parametrize("is_in_the_url", [False, True])
def test_the_skills_cli_reads_nothing_itself(server, skills_cli, tmp_path, agent, is_in_the_url):  # noqa: F811
    login = f"agent:{agent.token.text}@" if is_in_the_url else ""

    with pytest.raises(AssertionError):
        add(skills_cli, f"http://{login}127.0.0.1:{server.port}/skills/pdf-tables", tmp_path)

    assert files_in(tmp_path / ".claude") == {}


def test_the_skills_cli_installs_a_folder_that_was_fetched(server, skills_cli, tmp_path, agent):  # noqa: F811
    archive = server.request("GET", "/api/v1/skills/pdf-tables/archive.zip", token=agent.token.text)
    zipfile.ZipFile(BytesIO(archive.body)).extractall(tmp_path / "pdf-tables")

    add(skills_cli, "./pdf-tables", tmp_path)

    installed = files_in(tmp_path / ".claude" / "skills" / "pdf-tables")
    assert installed.keys() == {"SKILL.md", *FILES}


def test_the_skills_cli_installs_from_a_repository(server, skills_cli, tmp_path, agent):  # noqa: F811
    token = AgentToken.objects.issue(agent, ["clone"]).text
    address = f"http://x:{token}@127.0.0.1:{server.port}/git/skills/pdf-tables.git"

    add(skills_cli, address, tmp_path)

    installed = files_in(tmp_path / ".claude" / "skills" / "pdf-tables")
    assert installed.keys() == {"SKILL.md", *FILES}


def test_a_client_of_openapi_python_client_reads_with_its_token(server, tmp_path, agent):
    uv = fetched(GENERATOR, tmp_path)
    document = server.request("GET", "/api/v1/openapi.json").body
    (tmp_path / "document.json").write_bytes(document)
    (tmp_path / "read.py").write_text(GENERATED)
    (tmp_path / "config.yml").write_text(
        "content_type_overrides:\n  application/zip: application/octet-stream\n"
    )
    made = ["--path", "document.json", "--meta", "none", "--output-path", "generated"]
    made += ["--config", "config.yml"]

    run(tmp_path, *uv, "openapi-python-client", "generate", "--fail-on-warning", *made)
    run(tmp_path, *uv, "python", "read.py", f"http://127.0.0.1:{server.port}", agent.token.text)


def test_the_mcp_clients_read_with_a_token(walk, server):  # noqa: F811
    token = AgentFactory().token.text

    results = walk(server, WALK, token)
    refused = walk(server, [WALK[0]])

    assert [s["slug"] for s in results[0][2]["results"]] == ["pdf-tables"]
    assert results[1][2]["content"] == "# Follow me"
    assert refused[0][0] is True
    assert refused[0][1].startswith("Authentication required")


def test_the_skills_client_of_npm_reads_with_a_token(server, npm_skills, agent):  # noqa: F811
    read = npm_skills(f"http://127.0.0.1:{server.port}/mcp", [URI], agent.token.text)

    assert read[URI].keys() == {URI, "skill://skills/pdf-tables/scripts/run.py"}


def test_fastmcp_reads_with_a_token(server, tmp_path, agent):
    url = f"http://127.0.0.1:{server.port}/mcp"
    python = fetched(FASTMCP, tmp_path)

    printed = run(
        tmp_path,
        *(*python, "python", HERE / "fastmcp_skills.py", url, json.dumps([URI]), agent.token.text),
    )

    assert json.loads(printed)[URI] == 2


@pytest.mark.parametrize("option", ["--user", "--header"])
def test_curl_reads_with_either(server, agent, option):
    value = {
        "--user": f"agent:{agent.token.text}",
        "--header": f"Authorization: Bearer {agent.token.text}",
    }[option]
    url = f"http://127.0.0.1:{server.port}/api/v1/skills/pdf-tables/SKILL.md"

    done = subprocess.run(
        ["curl", "--silent", "--fail", option, value, url],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )

    assert "# Follow me" in done.stdout
