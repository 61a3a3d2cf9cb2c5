"""SUBMISSIONS=off: nothing of submissions is there, and nothing speaks of them (contract 29.1)."""

import json
import re

import pytest

from agents.models import AgentToken
from interfaces.openapi import errors
from tests.environments import start
from tests.interfaces.mcp_calls import HELLO, call, result, send
from tests.interfaces.test_openapi import PRINTED
from tests.registry import allow_all

URL, EXCHANGE = "/api/v1/agents/me/submissions", "/api/v1/tokens/exchange"
TOOLS = {"submit_skill", "submit_persona", "my_submissions", "withdraw_submission"}
WORDS = re.compile(r"\bsubmit\b|[Ss]ubmission|\bmaintain|exchange")

pytestmark = pytest.mark.usefixtures("no_submissions")


@pytest.fixture
def author(agent, client):
    """A client whose token has the scope from an earlier time."""
    allow_all(agent)
    return client


@pytest.mark.contract("29.1", "31.14")
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", [URL, f"{URL}/", f"{URL}/submission_none", EXCHANGE])
def test_its_paths_do_not_exist(author, anyone, method, path):
    for client in (author, anyone):
        response = client.generic(method, path, b"{}")

        assert response.status_code == 404
        assert "Allow" not in response.headers
        body = b'{"error":"Not found: the API has no such path"}'
        assert response.content == (b"" if method == "HEAD" else body)


@pytest.mark.contract("29.1")
def test_its_scope_is_unknown(client):
    response = client.post("/api/v1/agents/me/tokens", {"scopes": ["submit"]})

    assert response.status_code == 400
    assert response.json() == {
        "error": "scopes must be a list of one or more of read, install, review, clone"
    }


@pytest.mark.contract("29.1")
def test_an_earlier_token_opens_what_its_other_scopes_open(author, client_of, agent):
    only = client_of(token=AgentToken.objects.issue(agent, ["submit"]).text)

    assert author.get("/api/v1/agents/me").json()["handle"] == "caller"
    assert only.get("/api/v1/agents/me").status_code == 403


@pytest.mark.contract("29.1", "29.15")
def test_limits_and_profile_have_no_row(author):
    limits = author.get("/api/v1/agents/me/limits").json()["limits"]

    assert [row["policy"] for row in limits] == [
        *("install", "review", "confirm-claim", "manage", "report", "clone")
    ]
    assert "maintains" not in author.get("/api/v1/agents/me").json()


@pytest.mark.contract("22.19", "29.1")
def test_mcp_has_no_tool_and_no_line(author):
    tools = result(author, "tools/list")
    instructions = result(author, "initialize", HELLO)["instructions"]

    assert not {tool["name"] for tool in tools["tools"]} & TOOLS
    assert len(json.dumps(tools)) <= 16_000
    assert "lists all its 37 tools" in instructions
    assert not WORDS.search(instructions)
    for name in TOOLS:
        error = send(author, "tools/call", {"name": name, "arguments": {}}).json()["error"]
        assert error["message"].startswith("Unknown tool. The tools are search_skills, ")
        assert not {*error["message"].split(", ")} & TOOLS
    assert "maintains" not in call(author, "my_profile")["structuredContent"]


@pytest.mark.contract("29.1")
@pytest.mark.parametrize("path", ["/skill.md", "/guide.md", "/llms.txt"])
def test_the_guides_have_no_line(anyone, path):
    assert not WORDS.search(anyone.get(path).content.decode())


@pytest.mark.contract("29.1")
def test_the_errors_have_no_row():
    assert not [row for row in errors.listed() if WORDS.search(str(row))]


@pytest.mark.servers
@pytest.mark.contract("29.1")
def test_the_description_of_the_api_has_no_word():
    printed = start("-c", PRINTED).stdout

    document = json.loads(printed)
    assert not WORDS.search(printed)
    assert "Submissions" not in [tag["name"] for tag in document["tags"]]
    links = document["components"]["schemas"]["Links"]["properties"]
    assert "reports" in links
    assert "submissions" not in links
