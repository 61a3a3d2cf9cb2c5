"""/skill.md, /llms.txt and /robots.txt: what they say is true, and every request works."""

import re

import pytest
from skills_ref.parser import parse_frontmatter
from skills_ref.validator import validate_metadata

from agents.models import Agent
from catalogue.models import Skill
from tests.factories import PersonaFactory, SkillFactory, ask_for_code
from tests.registry import OPERATIONS

SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\[[^]]+\]\((http://[^)]+)\)")
ROW = re.compile(r"^\| ([A-Z, ]+) \| (.+?) \| .+ \|$", re.MULTILINE)

# Where a token is counted as four characters.
MAX_TOKENS = {"off": 1800, "claimed": 2000}


def blocks_of(server):
    """The shell commands of the guides."""
    texts = [server.request("GET", path).body.decode() for path in ("/skill.md", "/guide.md")]
    return SHELL.findall("".join(texts))


@pytest.fixture
def catalogue(transactional_db):
    skill = SkillFactory(slug="pdf-tables", title="PDF tables", description="Extracts tables.")
    PersonaFactory(slug="archivist", title="The archivist", skills=[skill])
    return skill


@pytest.mark.both_modes
@pytest.mark.contract("22.15")
@pytest.mark.usefixtures("catalogue")
def test_every_request_of_the_guides_works_as_it_stands(live_server_of, shell, tmp_path):
    server = live_server_of(TOKEN_PREFIX="acme")
    *others, confirm = blocks_of(server)

    printed, statuses = shell("\n".join(others))

    assert statuses == [
        *(200, 201, 201, 200),  # the first lines
        *(200, 200),  # searching and reading
        201,  # a persona
        *(200, 200, 200),  # facets, a persona, the changes
        200,  # a zip
        201,  # a token for git
        *(200, 200, 200, 200, 200),  # updating, earlier texts, pinning
        *(200, 200),  # switching
        *(201, 200, 200, 200),  # reviewing
        201,  # reporting
        *(201, 201, 200, 201, 200),  # submitting
        *(200, 200),  # the profile
        *(200, 201, 201, 200),  # tokens
    ]
    assert re.search(r'"results":\[\{"skillId"', printed)
    assert '"activePersona":{"personaId"' in printed
    assert '"description":"What I do now"' in printed
    assert (tmp_path / "skills/pdf-tables/SKILL.md").read_text().startswith("---\nname: pdf-tables")
    stored = tmp_path / ".agent-marketplace" / f"127.0.0.1-{server.port}.json"
    assert stored.stat().st_mode & 0o077 == 0
    assert '"token":"acme_agent_' in stored.read_text()

    code = ask_for_code(Agent.objects.get())
    token = next(block for block in others if block.startswith("API="))
    printed, statuses = shell(token + confirm.replace("WDJB-MJHT", code))

    assert statuses == [200]
    assert '"status":"claimed"' in printed
    assert Skill.objects.get().downloads == 1


@pytest.mark.contract("22.15")
@pytest.mark.usefixtures("catalogue")
def test_the_first_lines_of_the_skill_are_enough(live_server_of, shell):
    first, *_ = blocks_of(live_server_of())

    printed, statuses = shell(first)

    assert len(first.splitlines()) == 6
    assert statuses == [200, 201, 201, 200]
    search, install, manifest = re.split(r"(?<=\})(?=\{\")", printed.strip())
    assert '"slug":"pdf-tables"' in search
    assert '"message":"Skill installed"' in install
    assert '"advisories":[]' in manifest

    # Again, it is the same agent.
    _, statuses = shell(first)

    assert statuses == [200, 409, 200]
    assert Agent.objects.count() == 1


def test_the_digest_that_the_guide_computes_is_that_of_the_skill(live_server_of, shell):
    files = {"scripts/run.py": b"print(1)\r\n", "é #1.txt": b"e", "Z.txt": b""}
    skill = SkillFactory(slug="pdf-tables", files=files)
    blocks = blocks_of(live_server_of())
    verify = next(block for block in blocks if "zipfile" in block)

    printed, _ = shell(blocks[0].partition("\n")[0] + "\n" + verify)

    skill.refresh_from_db()
    assert printed == f"{skill.digest}\n"


@pytest.mark.contract("22.15")
@pytest.mark.parametrize("registration", ["open", "invitation", "closed"])
@pytest.mark.parametrize("catalogue", ["public", "members"])
@pytest.mark.parametrize("submissions", MAX_TOKENS)
def test_the_skill_is_short(anyone, settings, registration, catalogue, submissions):
    settings.SUBMISSIONS = submissions
    settings.REGISTRATION, settings.CATALOGUE = registration, catalogue
    settings.STAFF_CONTACT = "staff@marketplace.example.com"

    text = anyone.get("/skill.md").content.decode()

    assert len(text) <= 4 * MAX_TOKENS[submissions]


def test_the_session_of_the_start_page_works_as_it_stands(live_server_of, shell):
    SkillFactory(slug="pdf-tables")
    server = live_server_of(TOKEN_PREFIX="acme")
    page = server.request("GET", "/").body.decode()
    steps = re.findall(r'<pre tabindex="0"><code>(TOKEN=.*?|curl .*?)</code>', page, re.DOTALL)

    printed, statuses = shell("\n".join(steps).replace("&amp;", "&"))

    assert statuses == [201, 200, 201, 200]
    assert '"slug":"pdf-tables"' in printed


def test_every_link_of_llms_txt_leads_somewhere(anyone):
    text = anyone.get("/llms.txt").content.decode()

    links = {link.removeprefix("http://testserver") for link in LINK.findall(text)}

    assert len(links) > 5
    for link in links:
        assert anyone.get(link).status_code == 200, link


def test_llms_txt_has_the_form_of_its_convention(anyone):
    lines = anyone.get("/llms.txt").content.decode().split("\n")

    assert [line for line in lines if line.startswith("# ")] == ["# Agent Marketplace"]
    assert lines[0] == "# Agent Marketplace"
    assert lines[2].startswith("> ")
    sections = [line for line in lines if line.startswith("## ")]
    assert sections[-1] == "## Optional"
    for section in sections:
        assert lines[lines.index(section) + 2].startswith("- ")


def test_the_skill_is_valid(anyone):
    text = anyone.get("/skill.md").content.decode()

    fields, _ = parse_frontmatter(text)

    assert validate_metadata(fields) == []
    assert fields["name"] == "agent-marketplace"
    assert "http://testserver" in fields["description"]


@pytest.mark.contract("22.15")
@pytest.mark.parametrize("catalogue", ["public", "members"])
@pytest.mark.parametrize("has_git", [True, False])
def test_the_skill_lists_every_operation(anyone, settings, catalogue, has_git):
    settings.CATALOGUE, settings.GIT = catalogue, has_git

    text = anyone.get("/skill.md").content.decode()

    rows = [
        (method, path)
        for methods, paths in ROW.findall(text)
        for method in methods.split(", ")
        for path in re.findall("`([^`]+)`", paths)
    ]
    operations = {
        (operation.method, operation.route.removeprefix("/api/v1") or "/")
        for operation in OPERATIONS
    }
    assert set(rows) == operations
    assert len(rows) == len(operations)
    assert (re.search(r"\bgit\b", text) is not None) is has_git


@pytest.mark.contract("22.15")
@pytest.mark.parametrize("path", ["/skill.md", "/guide.md", "/llms.txt"])
def test_they_speak_of_this_deployment(anyone, settings, rates, path):
    assert "testserver" in anyone.get(path).content.decode()
    settings.TOKEN_PREFIX = "acme"
    settings.ALLOWED_HOSTS = ["agents.example.com"]
    rates(install="7/10m", review={"free": "3/d", "plus": "99/h"})

    text = anyone.get(path, headers={"Host": "agents.example.com"}, secure=True).content.decode()

    assert "https://agents.example.com/api/v1" in text
    assert "acme_agent_" in text
    assert "7 requests per 10 minutes for install" in text
    assert "3 requests per day for reviews" in text
    assert "testserver" not in text


def test_robots_stay_out_of_the_admin_and_of_claims(anyone):
    response = anyone.get("/robots.txt")

    assert response.status_code == 200
    assert response.content == (
        b"User-agent: *\nDisallow: /admin/\nDisallow: /claim/\nDisallow: /operator\n\n"
        b"Sitemap: http://testserver/sitemap.xml\n"
    )


@pytest.mark.parametrize(
    ("path", "content_type", "cache_control"),
    [
        ("/skill.md", "text/markdown; charset=utf-8", "no-cache"),
        ("/guide.md", "text/markdown; charset=utf-8", "no-cache"),
        ("/llms.txt", "text/plain; charset=utf-8", "no-cache"),
        ("/skill.md?raw", "text/markdown; charset=utf-8", "public, no-cache"),
        ("/robots.txt", "text/plain; charset=utf-8", "public, no-cache"),
    ],
)
def test_they_cost_no_statement_and_have_an_etag(
    anyone, django_assert_num_queries, path, content_type, cache_control
):
    with django_assert_num_queries(0):
        first = anyone.get(path)
        revalidated = anyone.get(path, headers={"If-None-Match": first.headers["ETag"]})
        head = anyone.head(path.replace("?", "/?"))

    assert (first.status_code, first.headers["Content-Type"]) == (200, content_type)
    assert first.headers["Cache-Control"] == cache_control
    assert (revalidated.status_code, revalidated.content) == (304, b"")
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize("path", ["/skill.md", "/guide.md", "/llms.txt", "/robots.txt"])
def test_another_method_is_a_405_in_json(anyone, path):
    response = anyone.post(path)

    assert response.status_code == 405
    assert response.headers["Allow"] == "GET, HEAD"
    assert response.json() == {"error": "Method POST is not allowed here; use GET, HEAD"}
