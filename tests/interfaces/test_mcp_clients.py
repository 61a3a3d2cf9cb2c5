"""MCP with the official clients of two languages, against real server processes"""

import json
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from django.db import connection

from tests.external import npm_folder
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.mcp_calls import NO_TOKEN
from tests.processes import is_within

# The version that the tests were written against; look at a newer one before raising it.
NPM_CLIENT = "@modelcontextprotocol/sdk@1.32.2"
WALK = [
    ["search_skills", {"query": "tables"}],
    ["get_skill", {"slug": "pdf-tables"}],
    ["install_skill", {"slug": "pdf-tables", "runtime": "python"}],
    ["install_skill", {"slug": "pdf-tables"}],
    ["search_personas", {"query": "archive"}],
    ["install_persona", {"slug": "archivist", "setActive": True}],
    ["submit_review", {"personaSlug": "archivist", "rating": 4.5, "comment": "Tidy."}],
    ["my_profile", {}],
]


def python_client(mode):
    """A walker with the client of the Python SDK: `walk(server, steps, token)`."""
    # Imported here, because the suite collects this file in each of its processes.
    import anyio  # noqa: PLC0415
    import httpx2  # noqa: PLC0415
    from mcp.client.client import Client  # noqa: PLC0415
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    async def walked(url, steps, headers):
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            results = [await client.call_tool(name, arguments) for name, arguments in steps]
        return [[r.is_error, r.content[0].text, r.structured_content] for r in results]

    def walk(server, steps, token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return anyio.run(walked, f"http://127.0.0.1:{server.port}/mcp", steps, headers)

    return walk


@pytest.fixture(scope="session")
def npm_client(request):
    """A walker with the client of the npm SDK, which is fetched once."""
    folder = npm_folder(request.config, NPM_CLIENT)
    program = Path(shutil.copy(Path(__file__).with_name("mcp_walk.mjs"), folder))

    def walk(server, steps, token=""):
        url = f"http://127.0.0.1:{server.port}/mcp"
        process = subprocess.run(
            ["node", program, url, json.dumps(steps), token],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout)

    return walk


@pytest.fixture(
    params=[
        *("python", "python with initialize"),
        pytest.param("npm", marks=pytest.mark.external),
    ]
)
def walk(request):
    if request.param == "npm":
        return request.getfixturevalue("npm_client")
    return python_client("auto" if request.param == "python" else "legacy")


@pytest.fixture
def catalogue(transactional_db):
    SkillFactory(slug="pdf-tables", title="PDF Tables", content="# Follow me")
    PersonaFactory(slug="archivist", title="The Archivist", description="Keeps the archive.")


@pytest.mark.usefixtures("catalogue")
def test_a_client_registers_searches_installs_and_reviews(walk, live_server_of):
    server = live_server_of()

    [[is_error, text, registered]] = walk(server, [["register_agent", {"name": "Walker"}]])
    assert (is_error, json.loads(text)) == (False, registered)
    results = walk(server, WALK, registered["token"])

    matches, skill, installed, again, personas, active, review, profile = results
    assert [s["slug"] for s in matches[2]["results"]] == ["pdf-tables"]
    assert skill[2]["content"] == "# Follow me"
    assert installed[2]["message"] == "Skill installed"
    assert again == [True, "Skill already installed", None]
    assert [p["slug"] for p in personas[2]["results"]] == ["archivist"]
    assert active[2]["isActive"] is True
    assert (review[2]["message"], review[2]["rating"]) == ("Review submitted", 4.5)
    assert profile[2]["handle"] == registered["handle"]
    assert profile[2]["counts"] == {"skills": 1, "personas": 1, "reviews": 1}
    assert profile[2]["skills"][0]["runtime"] == "python"
    for is_error, text, data in results:
        assert is_error or json.loads(text) == data


@pytest.mark.usefixtures("catalogue")
def test_a_client_without_a_token_is_told_so(walk, live_server_of):
    results = walk(live_server_of(), [["my_profile", {}], ["get_skill", {"slug": "no-such"}]])

    assert results == [[True, NO_TOKEN, None], [True, "Skill not found", None]]


@pytest.mark.usefixtures("catalogue")
def test_concurrent_calls_leave_nothing_behind(own_server_of):
    server = own_server_of(PGAPPNAME="mcp", WEB_CONCURRENCY="2", WEB_THREADS="4")

    with ThreadPoolExecutor(50) as pool:
        warm = list(pool.map(lambda _: search(server), range(150)))
        before = held(server)
        responses = list(pool.map(lambda _: search(server), range(60)))

    assert {response.status for response in warm + responses} == {200}
    assert {response.json()["result"]["isError"] for response in responses} == {False}
    # A thread whose first call was one of these has got its connection: that is no leak.
    assert is_within(30, lambda: held(server) < before + len(responses) / 2)
    assert connections() <= 8  # one for each thread


def search(server):
    call = {"name": "search_skills", "arguments": {"query": "tables"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return server.request("POST", "/mcp", message)


def held(server):
    """How many threads and descriptors the worker processes have, a socket just closed included."""
    workers = psutil.Process(server.process.pid).children()
    return sum(worker.num_threads() + worker.num_fds() for worker in workers)


def connections():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mcp'")
        return cursor.fetchone()[0]
