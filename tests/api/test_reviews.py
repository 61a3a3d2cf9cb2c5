"""POST /api/v1/agents/me/reviews"""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Review
from tests.conftest import MILLISECONDS
from tests.factories import AgentFactory, PersonaFactory, PersonaInstallFactory, review

URL = "/api/v1/agents/me/reviews"
RATING = {"error": "Rating must be between 1 and 5"}


@pytest.fixture
def persona(agent):
    """A persona that the agent has installed."""
    return PersonaInstallFactory(agent=agent, persona__slug="archivist").persona


@pytest.mark.contract("1.4", "10.1")
def test_a_first_review_is_created(client, persona):
    answer = client.post(
        URL, {"personaSlug": "archivist", "rating": 4, "comment": "Keeps everything."}
    )

    body = answer.json()
    assert answer.status_code == 201
    assert MILLISECONDS.fullmatch(body["createdAt"])
    assert body == {
        "message": "Review submitted",
        "reviewId": Review.objects.get().public_id,
        "personaSlug": "archivist",
        "rating": 4,
        "comment": "Keeps everything.",
        "createdAt": body["createdAt"],
        "updatedAt": body["createdAt"],
    }


@pytest.mark.contract("10.1", "10.2", "10.6")
def test_a_second_review_replaces_the_first(client, agent, persona):
    first = review(agent, persona, 4, "Keeps everything.")
    Review.objects.update(created_at=timezone.now() - timedelta(days=1))

    answer = client.post(URL, {"personaSlug": "archivist", "rating": 2.5})

    body = answer.json()
    stored = Review.objects.get()
    assert answer.status_code == 200
    assert body == {
        "message": "Review updated",
        "reviewId": first.public_id,
        "personaSlug": "archivist",
        "rating": 2.5,
        "comment": "",
        "createdAt": body["createdAt"],
        "updatedAt": body["updatedAt"],
    }
    assert body["createdAt"] < body["updatedAt"]
    assert stored.comment == ""
    assert timezone.now() - stored.created_at > timedelta(hours=23)


@pytest.mark.contract("10.3")
def test_ratings_are_counted_on_the_persona(client, client_of, persona):
    other = AgentFactory()
    PersonaInstallFactory(agent=other, persona=persona)

    client.post(URL, {"personaSlug": "archivist", "rating": 2})
    client_of(other).post(URL, {"personaSlug": "archivist", "rating": 5})
    client.post(URL, {"personaSlug": "archivist", "rating": 4.5})

    persona.refresh_from_db()
    assert (persona.rating_count, persona.rating_sum, persona.rating_avg) == (2, 9.5, 4.75)


@pytest.mark.contract("10.3")
def test_an_average_has_two_decimals_wherever_it_counts(anyone, persona):
    for rating in (5, 5, 4):
        review(AgentFactory(), persona, rating)

    detail = anyone.get("/api/v1/personas/archivist").json()
    counts = {
        least: anyone.get(f"/api/v1/personas?minRating={least}").json()["count"]
        for least in ("4.67", "4.68")
    }

    assert (detail["ratingAvg"], detail["ratings"]["average"]) == (4.67, 4.67)
    assert counts == {"4.67": 1, "4.68": 0}


@pytest.mark.contract("10.3")
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        *(("1", "1"), ("5", "5"), ("5.0", "5"), ("4.25", "4.25"), ("1e0", "1"), ("3.5", "3.5")),
        *(("3.456", "3.46"), ("1.004", "1")),
    ],
)
def test_a_rating_is_any_number_from_1_to_5(client, persona, given, kept):
    answer = client.post(URL, f'{{"personaSlug": "archivist", "rating": {given}}}')

    assert answer.status_code == 201
    assert f'"rating":{kept},' in answer.content.decode()


@pytest.mark.contract("10.5")
def test_a_comment_may_have_1000_characters(client, persona):
    comment = "🙂 " * 500

    answer = client.post(URL, {"personaSlug": "archivist", "rating": 3, "comment": comment})

    assert answer.status_code == 201
    assert answer.json()["comment"] == Review.objects.get().comment == comment


@pytest.mark.contract("2.6", "10.6")
def test_a_null_comment_is_an_absent_one(client, persona):
    answer = client.post(URL, {"personaSlug": "archivist", "rating": 3, "comment": None})

    assert answer.status_code == 201
    assert answer.json()["comment"] == ""


@pytest.mark.contract("10.7")
def test_a_persona_that_is_not_installed_cannot_be_reviewed(client):
    PersonaFactory(slug="scribe")

    answer = client.post(URL, {"personaSlug": "scribe", "rating": 3})

    assert answer.status_code == 400
    assert answer.json() == {"error": "You must install this persona before reviewing it"}
    assert not Review.objects.exists()


@pytest.mark.contract("10.7")
@pytest.mark.parametrize("slug", ["no-such-persona", "No Slug"])
def test_an_unknown_persona_is_not_found(client, slug):
    answer = client.post(URL, {"personaSlug": slug, "rating": 3})

    assert answer.status_code == 404
    assert answer.json() == {"error": "Persona not found"}


@pytest.mark.contract("10.7")
def test_a_withdrawn_persona_is_not_found_even_where_it_is_installed(client, persona):
    persona.status = "withdrawn"
    persona.save(update_fields=["status"])

    answer = client.post(URL, {"personaSlug": "archivist", "rating": 3})

    assert answer.status_code == 404
    assert answer.json() == {"error": "Persona not found"}


@pytest.mark.contract("10.8")
def test_an_installed_persona_can_be_reviewed_once_it_has_a_price(client, persona):
    persona.price_cents = 500
    persona.save(update_fields=["price_cents"])

    assert client.post(URL, {"personaSlug": "archivist", "rating": 3}).status_code == 201


@pytest.mark.contract("10.4")
def test_an_invalid_rating_comes_before_an_unknown_persona(client):
    answer = client.post(URL, {"personaSlug": "no-such-persona", "rating": 0})

    assert answer.status_code == 400
    assert answer.json() == RATING


@pytest.mark.contract("10.9")
def test_a_hidden_review_is_replaced_and_stays_out_of_the_average(client, agent, persona):
    hidden = review(agent, persona, 5)
    hidden.hide("Advertising.")

    response = client.post(URL, {"personaSlug": "archivist", "rating": 1, "comment": "Sorry."})

    assert response.status_code == 200
    assert response.json()["message"] == "Review updated"
    stored = Review.objects.get()
    persona.refresh_from_db()
    assert (stored.rating, stored.comment, stored.hiding_reason) == (1, "Sorry.", "Advertising.")
    assert (persona.rating_sum, persona.rating_count) == (0, 0)


@pytest.mark.contract("4.5")
def test_writing_leaves_the_review_of_another_agent_alone(client, persona):
    other = review(PersonaInstallFactory(persona=persona).agent, persona, 2, "Slow.")

    response = client.post(URL, {"personaSlug": "archivist", "rating": 4})

    other.refresh_from_db()
    persona.refresh_from_db()
    assert response.status_code == 201
    assert (other.rating, other.comment) == (2, "Slow.")
    assert (persona.rating_sum, persona.rating_count, persona.rating_avg) == (6, 2, 3)
