"""GET /api/v1/personas and /api/v1/personas/{slug}"""

import pytest

from marketplace.api.fields import timestamp
from tests.api.test_skills import slugs
from tests.factories import ABOUT, AgentFactory, PersonaFactory, SkillFactory, review

URL = "/api/v1/personas"


def as_listed(persona, **changes):
    return {
        "personaId": persona.public_id,
        "slug": persona.slug,
        **{name: getattr(persona, name) for name in ABOUT},
        "number": 1,
        "deprecation": None,
        "priceCents": persona.price_cents,
        "isFree": persona.price_cents == 0,
        "skills": [],
        "installs": persona.installs,
        "ratingAvg": None,
        "ratingCount": 0,
        "contextTokens": persona.context_tokens,
        "digest": persona.digest,
        "createdAt": timestamp(persona.created_at),
        "updatedAt": timestamp(persona.updated_at),
        **changes,
    }


@pytest.mark.contract("8.11", "8.15", "8.17")
def test_a_list_shows_personas_without_their_prompt(anyone):
    skills = [SkillFactory(slug=slug) for slug in ("pdf", "csv")]
    persona = PersonaFactory(
        slug="archivist", tags=["files"], skills=[*skills, SkillFactory(status="draft")]
    )

    response = anyone.get(URL)

    assert response.json() == {
        "results": [as_listed(persona, skills=["csv", "pdf"])],
        "count": 1,
        "next": None,
        "previous": None,
    }


@pytest.mark.contract("8.12")
def test_the_detail_adds_prompt_skills_and_ratings(anyone):
    skill = SkillFactory(slug="pdf", description="Reads PDF.")
    persona = PersonaFactory(slug="archivist", content="You keep everything.", skills=[skill])
    for rating in (5, 4.5, 4.49, 1):
        review(AgentFactory(), persona, rating)
    persona.refresh_from_db()

    response = anyone.get(f"{URL}/archivist")

    assert response.json() == {
        **as_listed(persona, skills=["pdf"], ratingAvg=3.75, ratingCount=4),
        "content": "You keep everything.",
        "frontmatter": None,
        "tools": None,
        "skills": [
            {
                "skillId": skill.public_id,
                "slug": "pdf",
                "title": skill.title,
                "description": "Reads PDF.",
            }
        ],
        "ratings": {
            "average": 3.75,
            "count": 4,
            "distribution": {"1": 1, "2": 0, "3": 0, "4": 1, "5": 2},
        },
    }


@pytest.mark.contract("8.12")
def test_an_unrated_persona_has_no_average(anyone):
    PersonaFactory(slug="archivist")

    assert anyone.get(f"{URL}/archivist").json()["ratings"] == {
        "average": None,
        "count": 0,
        "distribution": {"1": 0, "2": 0, "3": 0, "4": 0, "5": 0},
    }


@pytest.mark.contract("8.13")
def test_a_priced_persona_keeps_its_prompt(anyone):
    persona = PersonaFactory(slug="archivist", price_cents=500, content="Secret.")

    body = anyone.get(f"{URL}/archivist").json()

    assert body["content"] is None
    assert (body["priceCents"], body["isFree"]) == (500, False)
    assert body["contextTokens"] == persona.context_tokens == 2


@pytest.mark.contract("8.16")
@pytest.mark.parametrize("status", [None, "draft", "withdrawn"])
def test_an_unpublished_persona_is_not_found(anyone, status):
    if status:
        PersonaFactory(slug="archivist", status=status)

    response = anyone.get(f"{URL}/archivist")

    assert response.status_code == 404
    assert response.json() == {"error": "Persona not found"}


@pytest.fixture
def four_personas(db):
    a = PersonaFactory(slug="a", title="Delta", installs=2, price_cents=500)
    b = PersonaFactory(slug="b", title="alpha", installs=9, skills=[SkillFactory(slug="pdf")])
    PersonaFactory(
        slug="c", title="Charlie", installs=2, skills=[SkillFactory(slug="gone", status="draft")]
    )
    PersonaFactory(slug="d", title="Bravo", installs=1, price_cents=100)
    review(AgentFactory(), a, 3)
    review(AgentFactory(), b, 4.5)
    a.save(update_fields=["updated_at"])


@pytest.mark.contract("8.2")
@pytest.mark.usefixtures("four_personas")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("free=true", ["b", "c"]),
        ("free=false", ["a", "d"]),
        ("minRating=3", ["a", "b"]),
        ("minRating=3.01", ["b"]),
        ("minRating=5", []),
        ("skill=pdf", ["b"]),
        ("skill=gone", []),
        ("skill=nothing", []),
        ("free=false&minRating=1", ["a"]),
    ],
)
def test_filters_select_personas(anyone, query, expected):
    response = anyone.get(f"{URL}?{query}")

    assert sorted(slugs(response)) == expected
    assert response.json()["count"] == len(expected)


@pytest.mark.contract("8.4", "8.5")
@pytest.mark.usefixtures("four_personas")
@pytest.mark.parametrize(
    ("sort", "order"),
    [
        (None, ["b", "c", "a", "d"]),
        ("installs", ["b", "c", "a", "d"]),
        ("rating", ["b", "a", "d", "c"]),
        ("price", ["c", "b", "d", "a"]),
        ("name", ["b", "d", "c", "a"]),
        ("newest", ["d", "c", "b", "a"]),
        ("updated", ["a", "d", "c", "b"]),
    ],
)
def test_personas_sort_with_ties_by_newest(anyone, sort, order):
    assert slugs(anyone.get(URL, {"sort": sort} if sort else {})) == order
