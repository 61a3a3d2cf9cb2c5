"""The tools of MCP that read, each beside the request of the API that it makes."""

from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from infrastructure.http_cache.store import cached_responses
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.mcp_calls import call, result
from tests.interfaces.mcp_calls import send as post

READS = [
    ("search_skills", {}, "/api/v1/skills"),
    (
        "search_skills",
        {"query": "tables", "category": "data", "runtime": "python", "limit": 1},
        "/api/v1/skills?query=tables&category=data&runtime=python&limit=1",
    ),
    ("search_skills", {"query": None, "limit": 1}, "/api/v1/skills?limit=1"),
    ("search_skills", {"query": "c++ & ü"}, "/api/v1/skills?query=c%2B%2B+%26+%C3%BC"),
    ("search_personas", {"query": "scribe"}, "/api/v1/personas?query=scribe"),
    ("search_skills", {"query": "scribbe"}, "/api/v1/skills?query=scribbe"),  # nearest: scribe
    ("get_skill", {"slug": "wanted"}, "/api/v1/skills/wanted"),
    ("get_persona", {"slug": "scribe"}, "/api/v1/personas/scribe"),
    (
        "search_skills",
        {"tag": ["a", "b c"], "author": "Ada", "sort": "newest", "bundledIn": "scribe"},
        "/api/v1/skills?tag=a&tag=b+c&author=Ada&sort=newest&bundledIn=scribe",
    ),
    (
        "search_personas",
        {"free": True, "minRating": 4.5, "skill": "wanted"},
        "/api/v1/personas?free=true&minRating=4.5&skill=wanted",
    ),
    ("my_profile", {}, "/api/v1/agents/me"),
    ("my_profile", {"anything": 1}, "/api/v1/agents/me"),
    ("my_manifest", {}, "/api/v1/agents/me/manifest"),
    ("my_manifest", {"content": False}, "/api/v1/agents/me/manifest?content=false"),
    ("my_skills", {"limit": 1}, "/api/v1/agents/me/skills?limit=1"),
    ("my_personas", {}, "/api/v1/agents/me/personas"),
    ("my_reviews", {}, "/api/v1/agents/me/reviews"),
    ("list_reviews", {"slug": "scribe"}, "/api/v1/personas/scribe/reviews"),
    (
        "list_reviews",
        {"slug": "scribe", "rating": 4, "sort": "lowest", "limit": 1},
        "/api/v1/personas/scribe/reviews?rating=4&sort=lowest&limit=1",
    ),
]


FILES = {"references/é #1.md": "# Öne\n".encode(), "logo.png": b"\x89PNG\0"}


@pytest.fixture
def catalogue(db):
    skills = [
        SkillFactory(slug=slug, title="Tables", category="data", runtimes=["python"], files=FILES)
        for slug in ("wanted", "other")
    ]
    PersonaFactory(slug="scribe", title="The Scribe", skills=skills)


@pytest.mark.contract("22.1")
@pytest.mark.usefixtures("catalogue")
def test_a_reading_tool_responds_as_the_api_does(client, alone):
    for tool, arguments, twin in READS:
        with alone(f"{tool} {arguments}"):
            response = client.get(twin)
            assert response.status_code == 200

            outcome = call(client, tool, **arguments)

            assert outcome["content"] == [{"type": "text", "text": response.content.decode()}]
            assert outcome["structuredContent"] == response.json()
            assert outcome["isError"] is False


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_cached", [False, True], ids=["uncached", "cached"])
@pytest.mark.usefixtures("catalogue")
def test_a_reading_tool_asks_one_query_more_than_the_api(client, is_cached, subtests):
    client.get("/api/v1/agents/me")  # writes the token's last use, once
    for tool, arguments, twin in READS:
        with subtests.test(f"{tool} {arguments}"):
            number = number_of_queries(partial(client.get, twin), is_cached)

            assert number > 0
            more = number_of_queries(partial(call, client, tool, **arguments), is_cached)
            assert more == number + 1  # whether the token is usable


def number_of_queries(send, is_cached):
    send()  # A search that finds nothing is counted once a day.
    if not is_cached:
        cached_responses.clear()
    with CaptureQueriesContext(connection) as queries:
        send()
    return len(queries)


@pytest.mark.parametrize("part", ["link", "cursor"])
@pytest.mark.usefixtures("catalogue")
def test_a_tool_follows_its_own_next(anyone, part):
    def page(**arguments):
        return call(anyone, "search_skills", **arguments)["structuredContent"]

    first = page(query="tables", limit=1)
    [cursor] = parse_qs(urlsplit(first["next"]).query)["cursor"]
    second = (
        page(cursor=first["next"])
        if part == "link"
        else page(query="tables", limit=1, cursor=cursor)
    )

    slugs = [row["slug"] for body in (first, second) for row in body["results"]]
    assert slugs == ["other", "wanted"]
    assert second["next"] is None
    assert page(cursor=second["previous"]) == first


@pytest.mark.usefixtures("catalogue")
def test_it_shares_the_cached_responses_of_the_api(anyone):
    anyone.get("/api/v1/skills/wanted")

    with CaptureQueriesContext(connection) as queries:
        call(anyone, "get_skill", slug="wanted")

    assert len(queries) == 1


def test_it_responds_in_full_whatever_the_client_has_cached(anyone):
    SkillFactory(slug="wanted")
    params = {"name": "get_skill", "arguments": {"slug": "wanted"}}

    outcome = result(anyone, "tools/call", params, headers={"If-None-Match": "*"})

    assert outcome["structuredContent"]["slug"] == "wanted"


def test_it_responds_in_full_whatever_range_the_client_asks_for(anyone):
    SkillFactory(slug="wanted", files={"notes.txt": b"0123456789"})
    params = {"name": "get_skill_file", "arguments": {"slug": "wanted", "path": "notes.txt"}}

    outcome = result(anyone, "tools/call", params, headers={"Range": "bytes=2-4"})

    assert outcome["structuredContent"]["text"] == "0123456789"


def test_links_keep_the_scheme_and_the_host_of_the_client(anyone, settings):
    settings.REQUIRE_HTTPS = True
    SkillFactory.create_batch(2)

    outcome = result(
        anyone, "tools/call", {"name": "search_skills", "arguments": {"limit": 1}}, secure=True
    )

    assert outcome["structuredContent"]["next"].startswith("https://testserver/api/v1/skills?")


@pytest.mark.usefixtures("catalogue")
def test_it_lists_a_skills_files_and_reads_one(anyone):
    listed = call(anyone, "list_skill_files", slug="wanted")["structuredContent"]

    assert listed == {"files": anyone.get("/api/v1/skills/wanted").json()["files"]}
    binary, text = [
        call(anyone, "get_skill_file", slug="wanted", path=file["path"])["structuredContent"]
        for file in listed["files"]
    ]
    assert text == {
        "mediaType": "text/plain",
        "size": 7,
        "digest": listed["files"][1]["digest"],
        "text": "# Öne\n",
    }
    assert binary == {
        "mediaType": "application/octet-stream",
        "size": 5,
        "digest": listed["files"][0]["digest"],
        "blob": "iVBORwA=",
    }


@pytest.mark.contract("22.18")
@pytest.mark.usefixtures("downloads")
@pytest.mark.parametrize("size", [100_000, 1024 * 1024, 1024 * 1024 + 1])
def test_a_file_of_more_than_a_mebibyte_is_downloaded_instead(anyone, size):
    SkillFactory(slug="wanted", files={"a.txt": b"a" * size})
    sentence = (
        "The file is larger than 1 MiB. Download it over HTTP, from its `url` in list_skill_files"
    )

    outcome = call(anyone, "get_skill_file", slug="wanted", path="a.txt")
    resource = post(anyone, "resources/read", {"uri": "skill://skills/wanted/a.txt"}).json()

    if size > 1024 * 1024:
        assert outcome == {"content": [{"type": "text", "text": sentence}], "isError": True}
        assert resource["error"] == {"code": -32602, "message": sentence}
    else:
        assert outcome["structuredContent"]["text"] == "a" * size
        assert resource["result"]["contents"][0]["text"] == "a" * size


@pytest.mark.usefixtures("catalogue")
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"slug": "wanted", "path": "none"}, "File not found"),
        ({"slug": "wanted", "path": "../wanted"}, "File not found"),
        ({"slug": "wanted", "path": "logo.png?digest=1"}, "File not found"),
        ({"slug": "wanted", "path": "logo%2Epng"}, "File not found"),
        ({"slug": "wanted/files", "path": "logo.png"}, "Skill not found"),
        ({"slug": "wanted"}, "path is required"),
        ({"slug": "wanted", "path": ""}, "path is required"),
        ({"slug": "wanted", "path": 1}, "path must be a string"),
    ],
)
def test_a_file_that_is_not_there_is_refused(anyone, arguments, error):
    outcome = call(anyone, "get_skill_file", **arguments)

    assert outcome["isError"] is True
    assert outcome["content"][0]["text"].startswith(error)
