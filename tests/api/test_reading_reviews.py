"""GET /api/v1/personas/{slug}/reviews (contract 14.1)"""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import Agent
from catalogue.models import Persona
from reviews.models import Review
from tests.conftest import MILLISECONDS
from tests.factories import AgentFactory, PersonaFactory, review

URL = "/api/v1/personas/archivist/reviews"
OWN = "/api/v1/agents/me/reviews"
NOT_FOUND = {"error": "Persona not found"}
EMPTY = {"results": [], "count": 0, "next": None, "previous": None}


@pytest.fixture
def persona(db):
    return PersonaFactory(slug="archivist")


@pytest.fixture
def three(persona):
    """Reviews with the ratings 3.5, 5 and 3.5, one a day."""
    for days, rating in ((3, 3.5), (2, 5), (1, 3.5)):
        reviewed = review(AgentFactory(handle=f"days-{days}"), persona, rating)
        ago = timezone.now() - timedelta(days=days)
        Review.objects.filter(pk=reviewed.pk).update(created_at=ago)


def handles(response):
    return [result["agent"]["handle"] for result in response.json()["results"]]


@pytest.mark.contract("14.1")
def test_everyone_reads_what_agents_have_written(anyone, agent, persona):
    review(agent, persona, 4.5, "Keeps everything.")

    response = anyone.get(URL)

    body = response.json()
    (row,) = body["results"]
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "public, no-cache"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert MILLISECONDS.fullmatch(row["createdAt"])
    assert body == EMPTY | {
        "count": 1,
        "results": [
            {
                "reviewId": Review.objects.get().public_id,
                "personaSlug": "archivist",
                "rating": 4.5,
                "comment": "Keeps everything.",
                "createdAt": row["createdAt"],
                "updatedAt": row["createdAt"],
                "agent": {"handle": "caller", "name": "The Caller"},
            }
        ],
    }


def test_a_persona_without_reviews_has_an_empty_list(anyone, persona):
    review(AgentFactory(), PersonaFactory(slug="scribe"), 4)

    assert anyone.get(URL).json() == EMPTY


@pytest.mark.contract("14.2")
@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("", [1, 2, 3]),
        ("?sort=newest", [1, 2, 3]),
        ("?sort=highest", [2, 1, 3]),
        ("?sort=lowest", [1, 3, 2]),
        ("?rating=4", [1, 3]),
        ("?rating=4&sort=lowest", [1, 3]),
        ("?rating=5&sort=highest", [2]),
        ("?rating=3", []),
    ],
)
def test_they_are_sorted_and_filtered(anyone, three, query, days):
    response = anyone.get(URL + query)

    assert handles(response) == [f"days-{day}" for day in days]
    assert response.json()["count"] == len(days)


@pytest.mark.contract("14.2")
@pytest.mark.parametrize(
    ("rating", "nearest"), [(1, 1), (1.49, 1), (1.5, 2), (3.49, 3), (3.5, 4), (4.5, 5), (5, 5)]
)
def test_a_rating_is_found_at_its_nearest_whole(anyone, persona, rating, nearest):
    review(AgentFactory(), persona, rating)

    ratings = [
        number for number in range(1, 6) if anyone.get(f"{URL}?rating={number}").json()["count"]
    ]

    assert ratings == [nearest]
    distribution = anyone.get("/api/v1/personas/archivist").json()["ratings"]["distribution"]
    assert distribution[str(nearest)] == 1


def test_one_that_was_written_anew_is_the_newest(anyone, client_of, three, persona):
    oldest = client_of(token=issue("days-3"))
    oldest.delete(f"{OWN}/archivist")
    oldest.post(OWN, {"personaSlug": "archivist", "rating": 1})

    assert handles(anyone.get(URL)) == ["days-3", "days-1", "days-2"]


def issue(handle):
    agent = Agent.objects.get(handle=handle)
    return agent.tokens.issue(agent).text


@pytest.mark.contract("14.2")
def test_one_that_was_changed_keeps_its_place(anyone, client_of, three):
    client_of(token=issue("days-3")).post(OWN, {"personaSlug": "archivist", "rating": 1})

    assert handles(anyone.get(URL)) == ["days-1", "days-2", "days-3"]


@pytest.mark.contract("14.3")
def test_hidden_and_deleted_ones_are_left_out(anyone, agent, persona):
    review(AgentFactory(handle="seen"), persona, 4)
    review(AgentFactory(), persona, 4).hide("Advertising.")
    review(agent, persona, 4)
    Review.objects.delete_own(agent, "archivist")

    for query in ("", "?rating=4", "?sort=highest"):
        response = anyone.get(URL + query)
        assert handles(response) == ["seen"]
        assert response.json()["count"] == 1


@pytest.mark.contract("1.10")
@pytest.mark.parametrize("query", ["", "&sort=highest", "&sort=lowest", "&rating=4"])
def test_next_leads_through_all_of_them_and_back(anyone, persona, query):
    for number in range(5):
        review(AgentFactory(handle=f"agent-{number}"), persona, [4, 3.5, 4, 4.25, 4][number])
    whole = handles(anyone.get(f"{URL}?limit=5{query}"))

    pages = [anyone.get(f"{URL}?limit=2{query}")]
    while following := pages[-1].json()["next"]:
        pages.append(anyone.get(following))

    assert [handles(page) for page in pages] == [whole[:2], whole[2:4], whole[4:]]
    assert {page.json()["count"] for page in pages} == {5}
    back = anyone.get(pages[2].json()["previous"])
    assert handles(back) == whole[2:4]
    assert handles(anyone.get(back.json()["previous"])) == whole[:2]


@pytest.mark.parametrize("query", ["sort=highest", "rating=4"])
def test_a_cursor_belongs_to_one_list(anyone, three, query):
    review(AgentFactory(), PersonaFactory(slug="scribe"), 4)
    cursor = anyone.get(f"{URL}?limit=1").json()["next"].partition("cursor=")[2]

    for url in (f"{URL}?{query}&cursor=", "/api/v1/personas/scribe/reviews?cursor="):
        response = anyone.get(url + cursor)
        assert (response.status_code, response.json()) == (400, {"error": "cursor is invalid"})


@pytest.mark.contract("14.2")
@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("rating=6", "rating must be a whole number from 1 to 5"),
        ("rating=4.5", "rating must be a whole number from 1 to 5"),
        ("rating=", "rating must be a whole number from 1 to 5"),
        ("sort=best", "sort must be one of newest, highest, lowest"),
        ("limit=101", "limit must be a whole number from 1 to 100"),
        ("cursor=x", "cursor is invalid"),
        ("q=x", "Unknown query parameter 'q'. Allowed: cursor, limit, rating, sort"),
    ],
)
@pytest.mark.parametrize("slug", ["archivist", "no-such-persona"])
def test_a_wrong_parameter_is_refused_before_the_slug(anyone, persona, slug, query, error):
    response = anyone.get(f"/api/v1/personas/{slug}/reviews?{query}")

    assert (response.status_code, response.json()) == (400, {"error": error})


@pytest.mark.contract("14.1")
@pytest.mark.parametrize("slug", ["no-such-persona", "draft", "No%20Slug", "%00"])
def test_reviews_of_an_unpublished_persona_are_not_found(anyone, persona, slug):
    review(AgentFactory(), PersonaFactory(slug="draft"), 4)
    Persona.objects.filter(slug="draft").update(status="draft")

    response = anyone.get(f"/api/v1/personas/{slug}/reviews")

    assert (response.status_code, response.json()) == (404, NOT_FOUND)


@pytest.mark.parametrize("reviews", [0, 1])
@pytest.mark.parametrize("change", [{"status": "withdrawn"}, {"slug": "renamed"}], ids=str)
def test_a_cached_list_ends_with_its_persona(anyone, persona, reviews, change):
    if reviews:
        review(AgentFactory(), persona, 4)
    assert anyone.get(URL).json()["count"] == reviews
    Persona.objects.update(**change)

    response = anyone.get(URL)

    assert (response.status_code, response.json()) == (404, NOT_FOUND)


CHANGES = {
    "a new one": lambda agent, own: review(AgentFactory(), own.persona, 4),
    "a change": lambda agent, own: review(agent, own.persona, 4, "Better."),
    "an identical change": lambda agent, own: review(agent, own.persona, 2, "Slow."),
    "hiding": lambda agent, own: own.hide("Advertising."),
    "a deletion": lambda agent, own: Review.objects.delete_own(agent, "archivist"),
    "another handle": lambda agent, own: Agent.objects.update(handle="renamed"),
    "another name": lambda agent, own: agent.change(name="Renamed"),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("query", ["", "?rating=2", "?sort=lowest", "?rating=2&limit=1"])
def test_a_cached_list_shows_a_change_at_once(anyone, agent, persona, query, name):
    own = review(agent, persona, 2, "Slow.")
    before = anyone.get(URL + query)
    etag = {"If-None-Match": before.headers["ETag"]}
    assert anyone.get(URL + query, headers=etag).status_code == 304

    CHANGES[name](agent, Review.objects.get(pk=own.pk))

    after = anyone.get(URL + query, headers=etag)
    is_seen = name != "a new one" or "rating" not in query
    assert after.status_code == (200 if is_seen else 304)
    assert not is_seen or after.json() != before.json()


def test_a_cached_list_shows_a_restored_review_at_once(anyone, agent, persona):
    own = review(agent, persona, 2)
    own.hide("Advertising.")
    assert anyone.get(URL).json() == EMPTY

    own.restore()

    assert handles(anyone.get(URL)) == ["caller"]
