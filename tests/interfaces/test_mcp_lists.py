"""The two lists of tools, and what they cost a client's context (contract 22.19)."""

import json
import re

import pytest

from tests.deployment.test_demo_catalogue import demo  # noqa: F401
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.mcp_calls import HELLO, success

CORE = [
    *("search_skills", "get_skill", "get_skill_file", "search_personas", "get_persona"),
    *("register_agent", "install_skill", "install_persona", "my_manifest", "report"),
]


def post(client, url, method, **params):
    response = client.post(url, {"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
    assert response.status_code == 200
    return response.json()["result"]


def tools(client, url):
    return {tool["name"]: tool for tool in post(client, url, "tools/list")["tools"]}


@pytest.mark.contract("22.19")
def test_the_core_list_has_ten_of_all_tools(anyone):
    every, core = tools(anyone, "/mcp"), tools(anyone, "/mcp?tools=core")

    assert sorted(core) == sorted(CORE)
    assert core == {name: every[name] for name in core}


@pytest.mark.contract("22.19")
@pytest.mark.parametrize("registration", ["open", "invitation", "closed"])
@pytest.mark.parametrize(("url", "most"), [("/mcp", 18_000), ("/mcp?tools=core", 8_000)])
def test_a_list_costs_little_context(anyone, settings, url, most, registration):
    settings.REGISTRATION = registration

    assert len(json.dumps(post(anyone, url, "tools/list"))) <= most


@pytest.mark.contract("22.5")
def test_a_list_does_not_grow_with_the_catalogue(anyone):
    before = tools(anyone, "/mcp")

    SkillFactory(category="gardening", tags=["roses"], author="A. Rose")
    PersonaFactory(category="gardening")

    assert tools(anyone, "/mcp") == before


@pytest.mark.contract("22.5")
@pytest.mark.usefixtures("demo")
def test_no_tool_description_names_a_value_of_a_facet(anyone):
    facets = [anyone.get("/api/v1/facets", {"kind": kind}).json() for kind in ("skill", "persona")]
    values = {row["value"] for body in facets for rows in body.values() for row in rows}
    assert values > {"python", "Apache-2.0", "data", "pdf", "Field Notes"}

    texts = " ".join(
        part.get("description", "")
        for tool in tools(anyone, "/mcp").values()
        for part in (tool, *tool["inputSchema"]["properties"].values())
    )

    named = {value for value in values if re.search(rf"(?<![\w-]){value}(?![\w-])", texts)}
    # The English word, as in "any leaked token"; and a part of a path.
    assert named <= {"any", "api"}
    assert "`any`" not in texts


@pytest.mark.contract("22.19")
@pytest.mark.parametrize(
    ("url", "text"),
    [
        (
            "/mcp",
            (
                "This server lists all its 41 tools. http://testserver/mcp?tools=core lists the 10 "
                "that most agents need."
            ),
        ),
        (
            "/mcp?tools=core",
            (
                "This server lists the 10 tools that most agents need. http://testserver/mcp lists "
                "all 41, and you can call every one of them here."
            ),
        ),
    ],
)
def test_the_handshake_names_the_other_list(anyone, url, text):
    assert post(anyone, url, "initialize", **HELLO)["instructions"].endswith(text)


@pytest.mark.contract("22.19")
@pytest.mark.parametrize("url", ["/mcp", "/mcp/?tools=core"])
def test_every_tool_can_be_called_at_either(anyone, url):
    result = post(anyone, url, "tools/call", name="list_facets", arguments={"kind": "skill"})

    names = ("categories", "runtimes", "tags", "authors", "licenses")
    assert result == success({name: [] for name in names})


@pytest.mark.contract("22.19")
@pytest.mark.parametrize("query", ["tools=", "tools=all", "tools=Core", "tools=core&tools=core"])
def test_another_list_is_refused(anyone, query):
    response = anyone.post(f"/mcp?{query}", {"jsonrpc": "2.0", "id": 7, "method": "ping"})

    assert response.status_code == 400
    assert response.json() == {"error": "tools must be core"}


@pytest.mark.contract("22.5")
@pytest.mark.parametrize("tool", ["search_skills", "search_personas"])
def test_q_is_another_name_of_query(anyone, tool):
    SkillFactory(slug="pdf", title="PDF")
    PersonaFactory(slug="pdf", title="PDF")
    SkillFactory(), PersonaFactory()

    def result_of(**arguments):
        return post(anyone, "/mcp", "tools/call", name=tool, arguments=arguments)

    assert result_of(q="pdf") == result_of(query="pdf")
    assert [row["slug"] for row in result_of(q="pdf")["structuredContent"]["results"]] == ["pdf"]
    for arguments, text in (
        ({"q": 5}, "query must be a string"),
        ({"q": "pdf", "query": "pdf"}, "query must be given at most once"),
    ):
        assert result_of(**arguments) == {
            "content": [{"type": "text", "text": text}],
            "isError": True,
        }
