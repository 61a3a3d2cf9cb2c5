"""What a members-only catalogue says to members and to others (contract 26.5, 26.7)"""

from base64 import b64encode

import pytest

from agents.models import AgentToken
from catalogue.models import Skill
from infrastructure.http_cache.store import cached_responses
from tests.factories import PersonaFactory, SkillFactory
from tests.registry import SUBMISSION

API = "/api/v1"
SKILL = f"{API}/skills/pdf-tables"
INDEX = "/.well-known/agent-skills/index.json"
REQUIRED = {"error": "Authentication required"}
READS = [
    *(f"{API}/skills", f"{API}/personas", f"{API}/facets?kind=skill", f"{API}/changes"),
    *(SKILL, f"{SKILL}/SKILL.md", f"{SKILL}/archive.zip", f"{SKILL}/files/run.py"),
    *(f"{SKILL}/versions", f"{SKILL}/versions/1", f"{SKILL}/versions/1/SKILL.md"),
    *(f"{SKILL}/versions/1/archive.zip", f"{SKILL}/versions/1/files/run.py"),
    *(f"{API}/personas/archivist", f"{API}/personas/archivist/reviews"),
    *(f"{API}/personas/archivist/versions", f"{API}/personas/archivist/versions/1"),
    "/suggest?q=pdf",
    *(f"{place}{INDEX}" for place in ("", "/skills/pdf-tables", "/personas/archivist")),
]
GONE = ["/sitemap.xml", "/sitemap-pages.xml", "/sitemap-skills-0.xml"]
GONE += ["/feed.atom", "/this-week.atom"]
OPEN = ["/", "/docs", API, f"{API}/openapi.json", "/skill.md", "/llms.txt", "/healthz", "/readyz"]
OPEN += ["/static/card.png"]

pytestmark = pytest.mark.usefixtures("members_only_module", "catalogue")


@pytest.fixture
def catalogue(db):
    skill = SkillFactory(slug="pdf-tables", title="PDF", files={"run.py": b"print(1)"})
    PersonaFactory(slug="archivist", skills=[skill])


def basic(password, user="agent"):
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


@pytest.mark.contract("26.5")
def test_reading_needs_a_token(anyone, client, subtests):
    for path in READS:
        with subtests.test(path):
            refused, head, read = anyone.get(path), anyone.head(path), client.get(path)

            assert (refused.status_code, refused.json()) == (401, REQUIRED)
            assert refused["WWW-Authenticate"] == 'Bearer realm="marketplace"'
            assert refused["Cache-Control"] == "no-store"
            assert (head.status_code, head.content) == (401, b"")
            assert read.status_code == 200
            assert read["Cache-Control"] == "private, no-cache"


@pytest.mark.contract("26.5")
def test_a_token_needs_the_scope_read(client_of, agent, subtests):
    install_only = client_of(token=AgentToken.objects.issue(agent, ["install", "review"]).text)

    for path in READS:
        with subtests.test(path):
            response = install_only.get(path)

            assert response.status_code == 403
            assert response.json() == {"error": "Insufficient permissions"}
            assert 'scope="read"' in response["WWW-Authenticate"]


@pytest.mark.contract("26.5")
@pytest.mark.parametrize(
    "path",
    [
        f"{API}/skills/no-such-skill",
        f"{API}/skills/pdf-table",
        f"{SKILL}/files/none",
        f"{SKILL}/versions/7",
        f"{API}/personas/none/reviews",
        f"{API}/skills?sort=nonsense",
        f"{API}/skills?cursor=nonsense",
    ],
)
def test_without_a_token_what_is_not_there_is_a_401_too(anyone, client, path):
    assert anyone.get(path).json() == REQUIRED
    assert client.get(path).status_code in {400, 404}


@pytest.mark.contract("26.6")
@pytest.mark.parametrize("path", GONE)
def test_pages_that_announce_entries_are_not_found(anyone, client, path):
    assert anyone.get(path).status_code == client.get(path).status_code == 404


@pytest.mark.contract("26.6")
@pytest.mark.parametrize("path", OPEN)
def test_pages_that_name_no_entry_stay(anyone, path):
    assert anyone.get(path).status_code == 200


@pytest.mark.contract("26.6")
def test_robots_txt_names_no_sitemap(anyone):
    assert "Sitemap" not in anyone.get("/robots.txt").content.decode()


@pytest.mark.contract("26.7")
def test_a_token_may_be_the_password_of_basic(anyone, agent, subtests):
    for user in ("agent", "", "a:b"[:1]):
        for path in READS:
            with subtests.test(f"{user} {path}"):
                header = basic(agent.token.text, user)
                assert anyone.get(path, headers={"Authorization": header}).status_code == 200


@pytest.mark.contract("26.7")
@pytest.mark.parametrize("header", ["Basic", "Basic !", "Basic YTpi", "Basic YQ==", basic("x:y")])
def test_any_other_basic_is_refused(anyone, header):
    response = anyone.get(SKILL, headers={"Authorization": header})

    assert (response.status_code, response.json()) == (401, REQUIRED)


@pytest.mark.contract("26.7")
def test_basic_opens_nothing_of_the_agents_own(anyone, agent):
    header = {"Authorization": basic(agent.token.text)}

    assert anyone.get(f"{API}/agents/me", headers=header).status_code == 401
    assert anyone.post(f"{API}/agents/me/tokens/rotate", headers=header).status_code == 401


@pytest.mark.contract("26.10")
def test_a_member_is_told_that_nothing_has_changed_and_nobody_else_is(client, anyone):
    etag = {"If-None-Match": client.get(SKILL)["ETag"]}

    same = client.get(SKILL, headers=etag)
    assert (same.status_code, same["Cache-Control"]) == (304, "private, no-cache")
    assert anyone.get(SKILL, headers=etag).status_code == 401


@pytest.mark.contract("26.10")
def test_a_file_with_its_digest_may_not_be_kept_by_caches(client):
    (file,) = Skill.objects.get().files
    response = client.get(f"{SKILL}/files/run.py?digest={file['digest']}")

    assert (response.status_code, response["Cache-Control"]) == (200, "private, no-cache")


@pytest.mark.contract("26.10")
def test_nothing_of_the_catalogue_is_kept_by_the_process_or_an_edge(client, settings):
    settings.EDGE_SECONDS = 60
    for path in READS:
        assert client.get(path)["Cache-Control"] == "private, no-cache"

    assert len(cached_responses) == 0


@pytest.mark.contract("26.10")
def test_no_other_site_reads_it(client):
    for path in READS:
        assert "Access-Control-Allow-Origin" not in client.get(path).headers


@pytest.mark.contract("26.10")
@pytest.mark.parametrize("stop", ["revoke", "suspend", "pause"])
def test_a_token_that_ends_reads_nothing_in_the_next_request(client, agent, stop):
    assert client.get(SKILL).status_code == 200
    getattr(agent.token if stop == "revoke" else agent, stop)()

    assert {client.get(path).status_code for path in READS} == {401}


@pytest.mark.contract("26.5")
@pytest.mark.parametrize("method", ["post", "patch", "delete"])
def test_another_method_is_a_405_before_a_401(anyone, method):
    assert getattr(anyone, method)(SKILL).status_code == 405


@pytest.mark.contract("29.3")
def test_submitting_needs_the_scope_read_as_well(client_of, agent):
    def submit(*scopes):
        client = client_of(token=AgentToken.objects.issue(agent, scopes).text)
        return client.post(f"{API}/agents/me/submissions", SUBMISSION)

    refused = submit("submit")

    assert (refused.status_code, refused.json()) == (403, {"error": "Insufficient permissions"})
    assert 'scope="read"' in refused["WWW-Authenticate"]
    assert submit("read", "submit").status_code == 201
