"""The accepted values of `Host`, and the start of complete URLs."""

import re

import pytest

from infrastructure.http_cache.store import cached_responses
from tests.api.test_errors import assert_error
from tests.factories import PersonaFactory, SkillFactory

SKILLS = "/api/v1/skills?limit=1"
WRONG_HOST = "Bad request: the Host header or the URL is not acceptable"
OTHER_PORT = (
    "names a port. If that is the port of the public address, set PUBLIC_URL to that address."
)
PUBLIC_URL = "https://market.example"
LOCAL = {"Host": "localhost"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
DOCUMENTS = [
    *("/api/v1", "/api/v1/openapi.json", "/api/v1/skills/pdf", "/api/v1/changes?limit=1", SKILLS),
    *("/skill.md?raw", "/llms.txt?raw", "/robots.txt", "/skill.md", "/guide.md", "/docs"),
    *("/sitemap.xml", "/sitemap-pages.xml", "/sitemap-skills-0.xml", "/feed.atom"),
    *("/.well-known/agent-skills/index.json", "/skills/pdf/.well-known/agent-skills/index.json"),
    *("/", "/skills", "/skills/pdf", "/personas/archivist"),
]


@pytest.fixture
def catalogue(db):
    PersonaFactory(slug="archivist", skills=[SkillFactory(slug="pdf"), SkillFactory(slug="csv")])


@pytest.fixture
def market(settings):
    settings.ALLOWED_HOSTS = ["market.example", "localhost", "127.0.0.1", "[::1]"]
    return settings


@pytest.mark.parametrize("path", [SKILLS, "/static/pages.css", "/nowhere"])
@pytest.mark.parametrize(
    "host",
    ["market.example:8000", "market.example:443", "localhost.:x", "localhost:9000", "[::1]:8001"],
)
def test_without_a_public_url_a_port_that_is_not_the_schemes_is_refused(anyone, market, path, host):
    assert_error(anyone.get(path, headers={"Host": host}), 400, WRONG_HOST)


@pytest.mark.parametrize(
    "host",
    [
        *("market.example", "market.example:80"),
        *("localhost:8000", "127.0.0.1:8000", "[::1]:8000", "localhost"),
    ],
)
def test_links_begin_with_the_host_of_the_request(anyone, market, catalogue, host):
    page = anyone.get(SKILLS, headers={"Host": host}, SERVER_PORT="8000")

    assert page.status_code == 200
    assert page.json()["next"].startswith(f"http://{host}/api/v1/skills?")


def test_the_port_of_https_is_accepted_over_https(anyone, market, catalogue):
    page = anyone.get(SKILLS, headers={"Host": "market.example:443"}, secure=True)

    assert page.json()["next"].startswith("https://market.example:443/api/v1/skills?")
    assert_error(
        anyone.get(SKILLS, headers={"Host": "market.example:80"}, secure=True), 400, WRONG_HOST
    )


def test_the_host_may_have_the_port_of_the_server(anyone, settings):
    settings.ALLOWED_HOSTS = ["*"]
    anywhere = {"Host": "anywhere.example:8000"}

    assert anyone.get("/", headers=anywhere, SERVER_PORT="8000").status_code == 200
    assert_error(anyone.get(SKILLS, headers=anywhere), 400, WRONG_HOST)


def test_a_server_knows_its_own_port(live_server_of):
    server = live_server_of()

    statuses = [
        server.request("GET", SKILLS, headers={"Host": f"localhost:{port}"}).status
        for port in (server.port, server.port + 1)
    ]

    assert statuses == [200, 400]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_with_a_public_url_every_complete_url_begins_with_it(anyone, market, catalogue, path):
    before = anyone.get(path, headers={"Host": "localhost"}).content.decode()
    market.PUBLIC_URL = PUBLIC_URL
    scheme = PUBLIC_URL.partition("//")[0]
    text = before.replace("http://localhost", PUBLIC_URL).replace("localhost", "market.example")
    text = text.replace("http://x:$CLONE@", f"{scheme}//x:$CLONE@")
    for host in ("market.example", "market.example:8443"):
        cached_responses.clear()

        made, cached = (anyone.get(path, headers={"Host": host}) for _ in range(2))

        assert (made.status_code, cached.status_code) == (200, 200)
        assert without_digests(made.content.decode()) == without_digests(text)
        assert cached.content == made.content


def without_digests(text):
    """Without the parts that depend on the text itself, or are signed again."""
    return re.sub(r"sha256:[0-9a-f]{64}|cursor=[^\s\"&]+", "", text)


def test_the_claim_url_begins_with_the_public_url(anyone, client_of, market):
    market.PUBLIC_URL = PUBLIC_URL

    agent = anyone.post("/api/v1/agents/register", headers={"Host": "localhost:9000"}).json()
    profile = client_of(token=agent["token"]).get("/api/v1/agents/me", headers=LOCAL).json()

    assert re.fullmatch(rf"{PUBLIC_URL}/claim/[0-9A-Za-z]{{32}}", agent["claim"]["claimUrl"])
    assert profile["claim"] == agent["claim"]


def test_mcp_names_the_public_url(anyone, market):
    market.PUBLIC_URL = PUBLIC_URL

    response = anyone.post("/mcp", INITIALIZE, headers=LOCAL)

    instructions = response.json()["result"]["instructions"]
    assert f"POST to {PUBLIC_URL}/api/v1/agents/register." in instructions
    assert "localhost" not in instructions


def test_plain_requests_for_pages_are_redirected_to_the_public_url(anyone, market):
    market.REQUIRE_HTTPS, market.PUBLIC_URL = True, PUBLIC_URL

    response = anyone.get("/skills?q=pdf", headers=LOCAL)

    assert (response.status_code, response["Location"]) == (301, f"{PUBLIC_URL}/skills?q=pdf")


def test_with_a_public_url_another_host_is_still_refused(anyone, market, catalogue):
    market.PUBLIC_URL = PUBLIC_URL
    assert anyone.get(SKILLS, headers={"Host": "localhost:9000"}).status_code == 200

    assert_error(anyone.get(SKILLS, headers={"Host": "evil.example"}), 400, WRONG_HOST)


def test_another_public_url_gives_another_etag(anyone, market, catalogue):
    first = anyone.get(SKILLS, headers=LOCAL)["ETag"]
    market.PUBLIC_URL = PUBLIC_URL
    cached_responses.clear()

    assert anyone.get(SKILLS, headers=LOCAL)["ETag"] != first


@pytest.mark.contract("24.5")
def test_a_refused_host_is_logged_once_with_the_variable(own_server_of):
    server = own_server_of(ALLOWED_HOSTS="market.example")
    hosts = ["evil.example", "evil.example", "market.example:81", "a,b"]
    hosts += [f"n{number}.example" for number in range(60)]

    for host in hosts:
        response = server.request("GET", SKILLS, headers={"Host": host})
        assert (response.status, response.json()) == (400, {"error": WRONG_HOST})

    lines = [line for line in server.log.read_text().splitlines() if "DisallowedHost" in line]
    texts = [line.partition("]: ")[2] for line in lines]
    assert texts[:4] == [
        f"Invalid HTTP_HOST header: {problem}"
        for problem in (
            "'evil.example'. You may need to add 'evil.example' to ALLOWED_HOSTS.",
            f"'market.example:81' {OTHER_PORT}",
            "'a,b'. The domain name provided is not valid according to RFC 1034/1035.",
            "'n0.example'. You may need to add 'n0.example' to ALLOWED_HOSTS.",
        )
    ]
    assert len(lines) == 50
    assert " WARNING django.security.DisallowedHost [" in lines[0]
    assert "Traceback" not in server.log.read_text()
