"""What /skill.md and the other guides say here and now is true (contract 26.2, 26.6)"""

import re

import pytest

from agents.models import Agent, Invitation
from interfaces.openapi import document
from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.interfaces.conftest import shell  # noqa: F401
from tests.interfaces.test_guides import blocks_of

MODES = ["open", "invitation", "closed"]


@pytest.fixture
def catalogue(transactional_db):
    skill = SkillFactory(slug="pdf-tables", title="PDF tables", description="Extracts tables.")
    PersonaFactory(slug="archivist", title="The archivist", skills=[skill])


@pytest.mark.contract("26.11")
@pytest.mark.usefixtures("catalogue")
def test_every_request_of_the_guides_works_by_invitation_for_members(live_server_of, request):
    server = live_server_of(CATALOGUE="members", REGISTRATION="invitation")
    invitation = Invitation.objects.issue().text
    *others, _confirm = blocks_of(server)

    script = "\n".join([f"INVITATION={invitation}", *others])
    printed, statuses = request.getfixturevalue("shell")(script)

    assert {status // 100 for status in statuses} == {2}
    assert len(statuses) > 25
    assert Agent.objects.get().invitation.used == 1
    assert '"activePersona":{"personaId"' in printed


@pytest.mark.contract("26.11")
@pytest.mark.usefixtures("catalogue")
def test_the_session_of_the_start_page_works_for_members(live_server_of, request):
    server = live_server_of(CATALOGUE="members", REGISTRATION="invitation")
    invitation = Invitation.objects.issue().text
    page = server.request("GET", "/").body.decode()
    steps = re.findall(r'<pre tabindex="0"><code>(TOKEN=.*?|curl .*?)</code>', page, re.DOTALL)
    script = "\n".join(steps)
    for escaped, text in (("&amp;", "&"), ("&quot;", '"'), ("mkt_invite_…", invitation)):
        script = script.replace(escaped, text)

    _, statuses = request.getfixturevalue("shell")(script)

    assert statuses == [201, 200, 201, 200]


@pytest.mark.contract("26.11")
@pytest.mark.parametrize("mode", MODES)
def test_the_skill_says_how_to_register_here_and_now(anyone, settings, mode):
    settings.REGISTRATION = mode

    text = anyone.get("/skill.md?raw").content.decode()

    says = {
        "open": "from http://testserver. These lines search, register you once,",
        "invitation": "Registration is by invitation:",
        "closed": "Registration is closed here:",
    }
    assert [name for name, sentence in says.items() if sentence in text] == [mode]
    assert ("/agents/register" in text) is (mode != "closed")


@pytest.mark.contract("26.6")
@pytest.mark.parametrize("mode", MODES)
def test_a_members_only_marketplace_says_so(anyone, settings, mode, members_only):
    settings.REGISTRATION = mode

    guides = {path: anyone.get(path).content.decode() for path in ("/", "/llms.txt", "/skill.md")}
    described = anyone.get("/api/v1/openapi.json").json()

    assert "The catalogue is for members." in guides["/"]
    assert "The catalogue is for members" in guides["/llms.txt"]
    assert "Reading the catalogue needs no token" not in guides["/skill.md"]
    assert "for members only" in described["info"]["description"]
    reading = described["paths"]["/api/v1/skills"]["get"]
    assert reading["security"] == [{"bearer": ["read"]}]
    assert {"401", "403"} <= reading["responses"].keys()


def test_every_link_of_llms_txt_is_there_for_members(client, members_only):
    AgentFactory()
    text = client.get("/llms.txt").content.decode()

    links = re.findall(r"\[[^]]+\]\(http://testserver([^)]*)\)", text)
    assert len(links) > 5
    assert {client.get(link).status_code for link in links} == {200}


def test_the_description_of_the_api_is_made_without_a_warning(members_only, capsys):
    document.made_document()

    assert "Warning" not in capsys.readouterr().err
