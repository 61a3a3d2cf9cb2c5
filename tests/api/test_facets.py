"""GET /api/v1/facets and /api/v1: filter values and endpoints (contract 21)."""

import pytest
from django.core.management import call_command

from search.models import FacetCount, FacetCountDelta
from tests.factories import PersonaFactory, SkillFactory

URL = "/api/v1/facets"


def facets(anyone, kind="skill"):
    response = anyone.get(URL, {"kind": kind})
    assert response.status_code == 200, response.content
    return response.json()


def counted(**numbers):
    return [{"value": value, "count": count} for value, count in numbers.items()]


@pytest.mark.contract("21.1")
def test_it_counts_the_values_of_published_entries(anyone):
    SkillFactory(
        category="data",
        runtimes=["python", "node"],
        tags=["pdf", "csv"],
        author="Harbour",
        license="MIT",
    )
    SkillFactory(category="data", runtimes=["python"], tags=["pdf"], author="", license="")
    SkillFactory(category="art", tags=["pdf", "pdf"], status="draft")
    PersonaFactory(category="writing", license="CC0-1.0")

    response = anyone.get(URL, {"kind": "skill"})

    assert response.status_code == 200
    assert response.json() == {
        "categories": counted(data=2),
        "runtimes": counted(python=2, node=1),
        "tags": counted(pdf=2, csv=1),
        "authors": counted(Harbour=1),
        "licenses": counted(MIT=1),
    }
    assert response["Cache-Control"] == "public, no-cache"
    assert facets(anyone, "persona") == {
        "categories": counted(writing=1),
        "runtimes": [],
        "tags": [],
        "authors": [],
        "licenses": [{"value": "CC0-1.0", "count": 1}],
    }


@pytest.mark.contract("21.2")
def test_the_most_common_come_first_and_ties_by_name(anyone):
    for category in ("b", "a", "c", "c", "Z"):
        SkillFactory(category=category)

    assert facets(anyone)["categories"] == counted(c=2, Z=1, a=1, b=1)


@pytest.mark.contract("21.2")
def test_a_facet_shows_a_hundred_values(anyone):
    SkillFactory(tags=[f"tag-{number:03}" for number in range(101)])
    SkillFactory(tags=["tag-100"])

    tags = facets(anyone)["tags"]

    assert len(tags) == 100
    assert tags[0] == {"value": "tag-100", "count": 2}
    assert tags[-1] == {"value": "tag-098", "count": 1}


@pytest.mark.contract("21.3")
def test_it_is_exact_after_every_edit(anyone):
    skill = SkillFactory(category="data", license="MIT")
    other = SkillFactory(category="data", license="MIT")
    assert facets(anyone)["licenses"] == counted(MIT=2)

    skill.license, skill.category = "ISC", "art"
    skill.save()
    assert facets(anyone)["licenses"] == counted(ISC=1, MIT=1)
    assert facets(anyone)["categories"] == counted(art=1, data=1)

    other.withdraw()
    assert facets(anyone)["licenses"] == counted(ISC=1)
    skill.redraft()
    assert facets(anyone)["licenses"] == []
    other.publish()
    assert facets(anyone)["licenses"] == counted(MIT=1)


@pytest.mark.contract("21.3")
@pytest.mark.django_db(transaction=True)
def test_it_is_cached_until_the_catalogue_changes(anyone):
    skill = SkillFactory(license="MIT")
    etag = anyone.get(URL, {"kind": "skill"})["ETag"]

    unchanged = anyone.get(URL, {"kind": "skill"}, headers={"If-None-Match": etag})
    skill.license = "ISC"
    skill.save()

    assert unchanged.status_code == 304
    changed = anyone.get(URL, {"kind": "skill"}, headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed.json()["licenses"] == counted(ISC=1)


def test_deltas_that_are_not_added_up_are_counted_too(anyone):
    SkillFactory(license="MIT")
    FacetCountDelta.objects.create(kind="skill", facet="license", value="MIT", entries=2)
    FacetCountDelta.objects.create(kind="skill", facet="license", value="ISC", entries=4)
    FacetCountDelta.objects.create(kind="skill", facet="license", value="ISC", entries=-4)

    assert facets(anyone)["licenses"] == counted(MIT=3)


def test_rebuild_search_corrects_the_counts_of_licenses(anyone):
    SkillFactory(license="MIT")
    FacetCount.objects.filter(facet="license").update(entries=7)

    call_command("rebuild_search", verbosity=0)

    assert facets(anyone)["licenses"] == counted(MIT=1)


@pytest.mark.contract("2.9", "21.1")
@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("", "kind is required: one of skill, persona"),
        ("kind=agent", "kind must be one of skill, persona"),
        ("kind=", "kind must be one of skill, persona"),
        ("kind=skill&kind=skill", "kind must be given at most once"),
        ("kind=skill&limit=2", "Unknown query parameter 'limit'. Allowed: kind"),
    ],
)
def test_a_wrong_query_of_facets_is_refused(anyone, query, error):
    response = anyone.get(f"{URL}?{query}")

    assert response.status_code == 400
    assert response.json() == {"error": error}


@pytest.mark.contract("8.1")
@pytest.mark.parametrize(
    ("path", "factory"), [("skills", SkillFactory), ("personas", PersonaFactory)]
)
def test_a_list_is_filtered_by_license(anyone, path, factory):
    for name in ("MIT", "MIT AND ISC", ""):
        factory(license=name)

    body = anyone.get(f"/api/v1/{path}", {"license": "MIT"}).json()

    assert [row["license"] for row in body["results"]] == ["MIT"]
    assert body["count"] == 1
    assert anyone.get(f"/api/v1/{path}", {"license": "GPL"}).json()["count"] == 0


@pytest.mark.contract("21.4")
def test_the_root_names_what_there_is(anyone):
    response = anyone.get("/api/v1")

    body = response.json()
    assert response.status_code == 200
    assert list(body) == ["name", "version", "links"]
    assert body["name"] == "Agent marketplace"
    assert body["version"] == anyone.get("/api/v1/openapi.json").json()["info"]["version"]
    base = "http://testserver"
    assert body["links"] == {
        "skills": f"{base}/api/v1/skills",
        "personas": f"{base}/api/v1/personas",
        "facets": f"{base}/api/v1/facets",
        "changes": f"{base}/api/v1/changes",
        "register": f"{base}/api/v1/agents/register",
        "profile": f"{base}/api/v1/agents/me",
        "manifest": f"{base}/api/v1/agents/me/manifest",
        "limits": f"{base}/api/v1/agents/me/limits",
        "tokens": f"{base}/api/v1/agents/me/tokens",
        "ownSkills": f"{base}/api/v1/agents/me/skills",
        "ownPersonas": f"{base}/api/v1/agents/me/personas",
        "ownReviews": f"{base}/api/v1/agents/me/reviews",
        "reports": f"{base}/api/v1/agents/me/reports",
        "submissions": f"{base}/api/v1/agents/me/submissions",
        "revoke": f"{base}/api/v1/tokens/revoke",
        "openapi": f"{base}/api/v1/openapi.json",
        "docs": f"{base}/docs",
        "skillMd": f"{base}/skill.md",
        "mcp": f"{base}/mcp",
    }
    assert anyone.get("/api/v1/").content == response.content
    assert anyone.get("/api/v1", headers={"If-None-Match": response["ETag"]}).status_code == 304
