"""GET /api/v1/skills and /api/v1/skills/{slug}: their fields, and the list's filters."""

import pytest

from catalogue.models import Skill
from marketplace.api.fields import timestamp
from tests.factories import ABOUT_SKILL, PersonaFactory, SkillFactory

URL = "/api/v1/skills"


def as_listed(skill):
    return {
        "skillId": skill.public_id,
        "slug": skill.slug,
        **{name: getattr(skill, name) for name in ABOUT_SKILL},
        "number": 1,
        "deprecation": None,
        "downloads": skill.downloads,
        "contextTokens": skill.context_tokens,
        "digest": skill.digest,
        "createdAt": timestamp(skill.created_at),
        "updatedAt": timestamp(skill.updated_at),
    }


@pytest.fixture
def skill(db):
    return SkillFactory(
        slug="pdf-tables",
        **ABOUT_SKILL,
        content="---\nname: pdf-tables\n---\n\nRun it.\n",
        downloads=12,
    )


def slugs(response):
    assert response.status_code == 200, response.content
    return [row["slug"] for row in response.json()["results"]]


@pytest.mark.contract("1.1", "1.7", "8.9", "25.6")
def test_a_list_shows_skills_without_their_content(anyone, skill):
    response = anyone.get(URL)

    assert response.status_code == 200
    assert response.json() == {
        "results": [as_listed(skill)],
        "count": 1,
        "next": None,
        "previous": None,
    }


@pytest.mark.contract("8.10")
def test_the_detail_adds_content_and_personas(anyone, skill):
    for slug, status in [("scribe", "published"), ("archivist", "published"), ("x", "withdrawn")]:
        PersonaFactory(slug=slug, title=slug.upper(), status=status, skills=[skill])

    response = anyone.get(f"{URL}/pdf-tables")

    assert response.status_code == 200
    assert response.json() == {
        **as_listed(skill),
        "content": "---\nname: pdf-tables\n---\n\nRun it.\n",
        "files": [],
        "personas": [
            {"slug": "archivist", "title": "ARCHIVIST"},
            {"slug": "scribe", "title": "SCRIBE"},
        ],
    }


@pytest.mark.contract("8.14")
@pytest.mark.parametrize("content", ["", "abcd", "abcde", "é" * 9])
def test_context_tokens_are_a_quarter_of_the_characters_rounded_up(anyone, content):
    SkillFactory(slug="some", content=content)

    assert anyone.get(f"{URL}/some").json()["contextTokens"] == -(-len(content) // 4)


@pytest.mark.contract("8.16")
@pytest.mark.parametrize("slug", ["no-such-skill", "No.Slug", "a%00b", "%20", "pdf_tables", "é"])
def test_reading_an_unknown_skill_is_not_found(anyone, slug):
    response = anyone.get(f"{URL}/{slug}")

    assert response.status_code == 404
    assert response.json() == {"error": "Skill not found"}


@pytest.mark.contract("8.16")
@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_an_unpublished_skill_is_in_no_response(anyone, skill, status):
    Skill.objects.update(status=status)

    response = anyone.get(f"{URL}/pdf-tables")

    assert response.status_code == 404
    assert response.json() == {"error": "Skill not found"}
    assert slugs(anyone.get(URL)) == slugs(anyone.get(f"{URL}?q=pdf")) == []


@pytest.mark.contract("1.2")
@pytest.mark.parametrize("path", ["", "/", "/pdf-tables", "/pdf-tables/"])
def test_paths_work_with_and_without_a_slash(anyone, skill, path):
    assert anyone.get(URL + path).status_code == 200


@pytest.mark.contract("8.2", "8.3")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("category=data", ["a", "b"]),
        ("category=nothing", []),
        ("category=Data", ["a", "b"]),
        ("tag=PDF", ["a", "c"]),
        ("runtime=nod", []),
        ("author=Ada%20", []),
        ("tag=pdf", ["a", "c"]),
        ("tag=pdf&tag=csv", ["c"]),
        ("runtime=node", ["b"]),
        ("author=Ada", ["b", "c"]),
        ("category=data&author=Ada", ["b"]),
        ("bundledIn=scribe", ["a", "b"]),
        ("bundledIn=hidden", []),
        ("bundledIn=nobody", []),
        ("category=", []),
    ],
)
def test_filters_select_skills(anyone, query, expected):
    a = SkillFactory(slug="a", category="data", tags=["pdf"], runtimes=["python", "shell"])
    b = SkillFactory(slug="b", category="data", tags=["csv"], runtimes=["node"], author="Ada")
    SkillFactory(slug="c", category="text", tags=["pdf", "csv"], author="Ada")
    PersonaFactory(slug="scribe", skills=[a, b])
    PersonaFactory(slug="hidden", skills=[a], status="draft")

    response = anyone.get(f"{URL}?{query}&sort=name")

    assert sorted(slugs(response)) == expected
    assert response.json()["count"] == len(expected)


@pytest.mark.contract("8.4", "8.5")
@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("downloads", ["b", "d", "c", "a"]),
        ("newest", ["d", "c", "b", "a"]),
        ("updated", ["a", "d", "c", "b"]),
        ("name", ["c", "d", "b", "a"]),
        (None, ["b", "d", "c", "a"]),
    ],
)
def test_skills_sort_with_ties_by_newest(anyone, sort, order):
    first = SkillFactory(slug="a", title="zebra", downloads=1)
    SkillFactory(slug="b", title="Beta", downloads=9)
    SkillFactory(slug="c", title="Alpha", downloads=3)
    SkillFactory(slug="d", title="beta", downloads=3)
    first.save(update_fields=["updated_at"])

    assert slugs(anyone.get(URL, {"sort": sort} if sort else {})) == order


@pytest.mark.contract("8.5")
def test_names_sort_case_insensitively(anyone):
    for title in ["b", "A", "C", "a1", "_", "éa", "Éb", "éc"]:
        SkillFactory(title=title)

    titles = [row["title"] for row in anyone.get(f"{URL}?sort=name").json()["results"]]

    assert titles == sorted(titles, key=str.lower)
