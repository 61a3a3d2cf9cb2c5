"""Races of deleting and reading reviews end in the specified response."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection

from catalogue.models import Persona
from reviews.models import Review
from tests.factories import AgentFactory, PersonaFactory, review
from tests.system.races import LIMITS, ME, ROUNDS, rounds, statuses

REVIEWS = f"{ME}/reviews"


def write(agent, persona, rating):
    return "POST", REVIEWS, {"personaSlug": persona.slug, "rating": rating}, agent


def delete(agent, persona):
    return "DELETE", f"{REVIEWS}/{persona.slug}", None, agent


def read_of(persona):
    return "GET", f"/api/v1/personas/{persona.slug}/reviews", None, None


@pytest.mark.contract("14.7")
def test_a_review_that_is_changed_and_deleted_is_counted_as_it_is(concurrently):
    for parallel in rounds():
        agent, persona = AgentFactory(), PersonaFactory()
        review(agent, persona, 3)
        requests = [
            random.choice([write(agent, persona, 1 + number % 5), delete(agent, persona)])
            for number in range(parallel)
        ]

        responses = concurrently(requests)

        assert set(statuses(responses)) <= {200, 201, 404}
        pairs = list(zip(requests, responses, strict=True))
        written = sum(response.status == 201 for _, response in pairs)
        deleted = sum(sent[0] == "DELETE" and r.status == 200 for sent, r in pairs)
        present = [row.rating for row in Review.objects.present().filter(persona=persona)]
        assert len(present) == 1 + written - deleted
        persona.refresh_from_db()
        assert (persona.rating_count, persona.rating_sum) == (len(present), sum(present))
        [answer] = concurrently([read_of(persona)])
        assert answer.json()["count"] == len(answer.json()["results"]) == len(present)


def test_averages_are_true_while_staff_hide_what_agents_delete(concurrently):
    persona, agents = PersonaFactory(), AgentFactory.create_batch(16)
    hidden = [review(agent, persona, 3).pk for agent in agents]
    for number in range(ROUNDS):
        requests = [
            request
            for agent in agents
            for request in (delete(agent, persona), write(agent, persona, 1 + number % 5))
        ]
        random.shuffle(requests)

        with ThreadPoolExecutor(1) as staff:
            moderating = staff.submit(hide, hidden[::2])
            responses = concurrently(requests)
            assert moderating.result() is None

        assert set(statuses(responses)) <= {200, 201, 404}
        counted = Persona.objects.with_true_counts().get()
        assert counted.rating_sum == counted.true_rating_sum
        assert counted.rating_count == counted.true_rating_count
        # A review that is written again stays hidden.
        assert not Review.objects.visible().filter(pk__in=hidden[::2]).exists()
        restore(hidden)


def hide(pks):
    try:
        for pk in pks:
            Review.objects.get(pk=pk).hide("Advertising.")
    finally:
        connection.close()


def restore(pks):
    for row in Review.objects.filter(pk__in=pks, hidden_at__isnull=False):
        row.restore()


@pytest.mark.contract("14.3")
def test_no_list_has_a_review_after_it_was_deleted(live_server_of):
    server = live_server_of(**LIMITS)
    for _ in range(ROUNDS):
        agent, persona, deleted = AgentFactory(), PersonaFactory(), Event()
        review(agent, persona, 5)

        def read(persona=persona, deleted=deleted):
            """Lists until one was requested after the deletion; with whether it was."""
            lists = []
            while not lists or not lists[-1][0]:
                is_after = deleted.is_set()
                method, path, *_ = read_of(persona)
                lists.append((is_after, server.request(method, path).json()))
            return lists

        with ThreadPoolExecutor(8) as pool:
            readers = [pool.submit(read) for _ in range(8)]
            try:
                method, path, _, _ = delete(agent, persona)
                assert server.request(method, path, token=agent.token.text).status == 200
            finally:
                deleted.set()
            lists = [entry for reader in readers for entry in reader.result()]

        for is_after, body in lists:
            assert body["count"] == len(body["results"])
            assert not is_after or body["count"] == 0
