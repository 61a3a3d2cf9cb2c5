"""A deletion that waits for another write of the same review; the average equals the rows."""

import pytest

from agents.models import Agent
from reviews.models import Review
from tests.api.concurrency import during, sibling
from tests.factories import AgentFactory, PersonaFactory, review

REVIEWS = "/api/v1/agents/me/reviews"
OWN_REVIEW = f"{REVIEWS}/archivist"


@pytest.fixture
def reviewed(transactional_db, agent):
    """A persona with two reviews, one of them by the agent."""
    persona = PersonaFactory(slug="archivist")
    review(AgentFactory(), persona, 5)
    review(agent, persona, 2)
    return persona


def assert_counts(persona, total, number):
    persona.refresh_from_db()
    visible = Review.objects.visible().filter(persona=persona)
    assert (persona.rating_sum, persona.rating_count) == (total, number)
    assert sum(visible.values_list("rating", flat=True)) == total


@pytest.mark.contract("14.7")
def test_a_review_that_is_changed_concurrently_is_deleted_from_the_average(client, agent, reviewed):
    change = sibling(agent, Review.objects.submit, "archivist", rating=4)

    [response] = during(change, lambda: client.delete(OWN_REVIEW))

    assert response.status_code == 200
    assert_counts(reviewed, 5, 1)


def test_a_review_that_is_hidden_concurrently_is_deleted_and_stays_hidden(client, agent, reviewed):
    own = agent.reviews.get()

    [response] = during(lambda: own.hide("Advertising."), lambda: client.delete(OWN_REVIEW))

    own.refresh_from_db()
    assert response.status_code == 200
    assert (own.hiding_reason, own.state) == ("Advertising.", "deleted")
    assert_counts(reviewed, 5, 1)


@pytest.mark.parametrize("is_hidden", [False, True])
def test_staff_who_wait_for_a_deletion_count_nothing(agent, reviewed, is_hidden):
    own = agent.reviews.get()
    if is_hidden:
        own.hide("Advertising.")
    delete = sibling(agent, Review.objects.delete_own, "archivist")

    during(delete, own.restore if is_hidden else lambda: own.hide("Advertising."))

    assert_counts(reviewed, 5, 1)


def test_a_review_that_is_deleted_concurrently_is_written_anew(client, agent, reviewed):
    deleted = agent.reviews.get()
    delete = sibling(agent, Review.objects.delete_own, "archivist")

    body = {"personaSlug": "archivist", "rating": 4}
    [response] = during(delete, lambda: client.post(REVIEWS, body))

    assert response.status_code == 201
    assert response.json()["reviewId"] != deleted.public_id
    assert_counts(reviewed, 9, 2)


def test_a_review_that_is_deleted_concurrently_is_not_found(client, agent, reviewed):
    delete = sibling(agent, Review.objects.delete_own, "archivist")

    [response] = during(delete, lambda: client.delete(OWN_REVIEW))

    assert response.status_code == 404
    assert response.json() == {"error": "Review not found"}
    assert_counts(reviewed, 5, 1)


def test_an_agent_that_is_suspended_concurrently_deletes_nothing(client, agent, reviewed):
    [response] = during(sibling(agent, Agent.suspend), lambda: client.delete(OWN_REVIEW))

    assert response.status_code == 401
    assert response.json() == {"error": "Authentication required"}
    assert_counts(reviewed, 7, 2)
