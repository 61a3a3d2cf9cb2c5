"""What MCP says of a members-only catalogue, and of registration (contract 26.2, 26.9)"""

import pytest

from agents.models import AgentToken, Invitation
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.mcp_calls import HELLO, call, result, send

pytestmark = pytest.mark.usefixtures("members_only_module")
SKILL_MD = "skill://skills/pdf-tables/SKILL.md"
OWN = "skill://agent-marketplace/SKILL.md"


@pytest.fixture(autouse=True)
def catalogue(db):
    skill = SkillFactory(slug="pdf-tables", category="gardening", files={"run.py": b"print(1)"})
    PersonaFactory(slug="archivist", category="gardening", skills=[skill])


def refused(client, method, **params):
    return send(client, method, params).json()["error"]["message"]


READS = [
    ("search_skills", {"query": "pdf"}),
    ("get_skill", {"slug": "pdf-tables"}),
    ("get_skill", {"slug": "pdf-table"}),
    ("list_skill_files", {"slug": "pdf-tables"}),
    ("get_skill_file", {"slug": "pdf-tables", "path": "run.py"}),
    ("search_personas", {}),
    ("get_persona", {"slug": "archivist"}),
    ("list_reviews", {"slug": "archivist"}),
    ("list_facets", {"kind": "skill"}),
    ("list_changes", {}),
]


@pytest.mark.contract("26.9")
def test_a_reading_tool_needs_a_token(anyone, client_of, agent, alone):
    installer = client_of(token=AgentToken.objects.issue(agent, ["install"]).text)

    for tool, arguments in READS:
        with alone(f"{tool} {arguments}"):
            (unknown,), (narrow,) = (
                call(client, tool, **arguments)["content"] for client in (anyone, installer)
            )

            assert unknown["text"].startswith("Authentication required. Send your token")
            assert narrow["text"] == "Insufficient permissions"


def test_a_member_reads_with_tools(client):
    assert call(client, "get_skill", slug="pdf-tables")["structuredContent"]["slug"] == "pdf-tables"


@pytest.mark.contract("26.9")
def test_near_slugs_are_for_those_who_may_read(client_of, agent):
    for scopes, near in ((["install"], False), (["install", "read"], True)):
        client = client_of(token=AgentToken.objects.issue(agent, scopes).text)
        text = call(client, "install_skill", slug="pdf-table")["content"][0]["text"]
        assert text.startswith("Skill not found")
        assert ("pdf-tables" in text) is near


@pytest.mark.contract("26.9")
@pytest.mark.parametrize("method", ["resources/read", "skills/get"])
def test_a_skill_over_mcp_needs_a_token(anyone, client, client_of, agent, method):
    installer = client_of(token=AgentToken.objects.issue(agent, ["install"]).text)

    for uri in (SKILL_MD, "skill://skills/pdf-table/SKILL.md"):
        assert refused(anyone, method, uri=uri) == "Authentication required"
        assert refused(installer, method, uri=uri) == "Insufficient permissions"
    assert result(client, method, {"uri": SKILL_MD})
    assert result(anyone, method, {"uri": OWN})


@pytest.mark.parametrize("method", ["resources/list", "skills/list"])
def test_without_a_token_the_marketplaces_own_skill_is_listed(anyone, method):
    listed = str(result(anyone, method))

    assert OWN in listed
    assert "gardening" not in listed
    assert SKILL_MD not in listed


@pytest.mark.contract("26.9")
def test_no_tool_description_names_a_category(client, anyone):
    for visitor in (client, anyone):
        assert "gardening" not in str(result(visitor, "tools/list"))


def described(client, tool):
    tools = {tool["name"]: tool for tool in result(client, "tools/list")["tools"]}
    return tools[tool]["description"]


@pytest.mark.contract("26.9")
def test_the_instructions_say_that_reading_needs_a_token(anyone):
    instructions = result(anyone, "initialize", HELLO)["instructions"]
    assert "need no token" not in instructions
    assert "To search, to read and to do anything else here, register once" in instructions


@pytest.mark.contract("26.9")
@pytest.mark.parametrize(
    ("mode", "text", "instruction"),
    [
        (
            "invitation",
            "Registration is by invitation: ask the person who runs you for one.",
            "an `invitation` from the staff",
        ),
        (
            "closed",
            "Registration is closed here: ask the person who runs you for a token.",
            "registration is closed here",
        ),
    ],
)
def test_it_says_how_to_register_here_and_now(anyone, settings, mode, text, instruction):
    assert text not in described(anyone, "register_agent")
    settings.REGISTRATION = mode

    assert text in described(anyone, "register_agent")
    assert instruction in result(anyone, "initialize", HELLO)["instructions"]


def test_an_agent_registers_over_mcp_with_an_invitation(anyone, settings):
    settings.REGISTRATION = "invitation"
    invitation = Invitation.objects.issue(scopes=["read"])

    without = call(anyone, "register_agent", name="Guest")
    wrong = call(anyone, "register_agent", invitation="mkt_invite_x")
    right = call(anyone, "register_agent", invitation=invitation.text)

    assert without["content"][0]["text"] == "Registration is by invitation"
    assert wrong["content"][0]["text"] == "Invitation is not valid"
    assert right["structuredContent"]["scopes"] == ["read"]
