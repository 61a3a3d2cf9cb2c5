"""DELETE /api/v1/agents/me/reviews/{personaSlug} (contract 14.5)"""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Review
from tests.factories import AgentFactory, PersonaFactory, PersonaInstallFactory, review

REVIEWS = "/api/v1/agents/me/reviews"
URL = f"{REVIEWS}/archivist"
NOT_FOUND = {"error": "Review not found"}


@pytest.fixture
def persona(agent):
    """A persona that the agent has installed, and another agent has reviewed."""
    persona = PersonaInstallFactory(agent=agent, persona__slug="archivist").persona
    review(AgentFactory(), persona, 5)
    return persona


@pytest.fixture
def own(agent, persona):
    return review(agent, persona, 2, "Loses files.")


def counted(persona):
    persona.refresh_from_db()
    return persona.rating_sum, persona.rating_count, persona.rating_avg


@pytest.mark.contract("14.5", "14.7")
def test_a_review_is_deleted_and_counted_no_more(client, persona, own):
    response = client.delete(URL)

    assert response.status_code == 200
    assert response.json() == {
        "message": "Review deleted",
        "reviewId": own.public_id,
        "personaSlug": "archivist",
    }
    assert counted(persona) == (5, 1, 5)
    ratings = client.get("/api/v1/personas/archivist").json()["ratings"]
    assert ratings == {
        "average": 5,
        "count": 1,
        "distribution": {"1": 0, "2": 0, "3": 0, "4": 0, "5": 1},
    }
    assert client.get(REVIEWS).json()["results"] == []
    assert client.get("/api/v1/agents/me").json()["counts"]["reviews"] == 0


@pytest.mark.contract("14.7")
def test_nothing_of_its_text_is_kept(client, own):
    client.delete(URL)

    assert Review.objects.get(pk=own.pk).comment == ""


def test_the_last_review_deleted_leaves_no_average(client, agent):
    persona = PersonaFactory(slug="archivist")
    review(agent, persona, 3.33)

    assert client.delete(URL).status_code == 200
    assert counted(persona) == (0, 0, None)


@pytest.mark.contract("14.6")
@pytest.mark.parametrize("slug", ["scribe", "archivist", "no-such-persona", "No%20Slug", "%00"])
def test_deleting_a_review_that_was_not_written_is_not_found(client, persona, slug):
    PersonaFactory(slug="scribe")

    response = client.delete(f"{REVIEWS}/{slug}")

    assert (response.status_code, response.json()) == (404, NOT_FOUND)
    assert counted(persona) == (5, 1, 5)


@pytest.mark.contract("14.6")
def test_it_is_deleted_once(client, persona, own):
    first, second = client.delete(URL), client.delete(URL)

    assert first.status_code == 200
    assert (second.status_code, second.json()) == (404, NOT_FOUND)
    assert counted(persona) == (5, 1, 5)


@pytest.mark.contract("14.5")
@pytest.mark.parametrize("status", ["withdrawn", "draft"])
def test_the_review_of_a_persona_that_is_not_published_is_deleted(client, persona, own, status):
    persona.status = status
    persona.save(update_fields=["status"])

    assert client.delete(URL).status_code == 200
    assert counted(persona) == (5, 1, 5)


@pytest.mark.contract("12.9")
def test_the_review_of_an_uninstalled_persona_is_deleted(client, persona, own):
    client.post("/api/v1/agents/me/personas/uninstall", {"slug": "archivist"})

    assert client.delete(URL).status_code == 200
    assert counted(persona) == (5, 1, 5)


@pytest.mark.contract("14.8")
def test_written_anew_it_is_a_new_review(client, persona, own):
    Review.objects.filter(pk=own.pk).update(created_at=timezone.now() - timedelta(days=1))
    client.delete(URL)

    response = client.post(REVIEWS, {"personaSlug": "archivist", "rating": 4})

    body = response.json()
    stored = Review.objects.get(pk=own.pk)
    assert response.status_code == 201
    assert body == {
        "message": "Review submitted",
        "reviewId": stored.public_id,
        "personaSlug": "archivist",
        "rating": 4,
        "comment": "",
        "createdAt": body["createdAt"],
        "updatedAt": body["createdAt"],
    }
    assert stored.public_id != own.public_id
    assert timezone.now() - stored.created_at < timedelta(minutes=1)
    assert counted(persona) == (9, 2, 4.5)
    changed = client.post(REVIEWS, {"personaSlug": "archivist", "rating": 3})
    assert (changed.status_code, changed.json()["reviewId"]) == (200, stored.public_id)
    assert counted(persona) == (8, 2, 4)


def test_a_hidden_review_was_counted_no_more_already(client, persona, own):
    own.hide("Advertising.")

    assert client.delete(URL).json()["reviewId"] == own.public_id
    assert counted(persona) == (5, 1, 5)


@pytest.mark.contract("14.8")
def test_a_hidden_review_stays_hidden_when_it_is_written_anew(client, anyone, persona, own):
    own.hide("Advertising.")
    client.delete(URL)

    response = client.post(REVIEWS, {"personaSlug": "archivist", "rating": 4, "comment": "Ads."})

    assert response.status_code == 201
    assert response.json()["reviewId"] != own.public_id
    assert counted(persona) == (5, 1, 5)
    public = anyone.get("/api/v1/personas/archivist/reviews").json()
    assert [result["rating"] for result in public["results"]] == [5]
    Review.objects.get(pk=own.pk).restore()
    assert counted(persona) == (9, 2, 4.5)


@pytest.mark.contract("14.8")
def test_a_deleted_review_that_staff_restore_counts_once_it_is_written_anew(client, persona, own):
    own.hide("Advertising.")
    client.delete(URL)

    Review.objects.get(pk=own.pk).restore()

    assert counted(persona) == (5, 1, 5)
    client.post(REVIEWS, {"personaSlug": "archivist", "rating": 4})
    assert counted(persona) == (9, 2, 4.5)


def test_deleting_leaves_the_review_of_another_agent_alone(client_of, persona, own):
    other = PersonaInstallFactory(persona=persona).agent

    assert client_of(other).delete(URL).status_code == 404
    assert counted(persona) == (7, 2, 3.5)


def test_a_body_is_not_read(client, own):
    assert client.generic("DELETE", URL, b"{", "text/plain").status_code == 200
