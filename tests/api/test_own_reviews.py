"""GET /api/v1/agents/me/reviews (contract 14.4)"""

import pytest

from catalogue.models import Persona
from tests.factories import AgentFactory, PersonaFactory, review

URL = "/api/v1/agents/me/reviews"
EMPTY = {"results": [], "count": 0, "next": None, "previous": None}


@pytest.fixture
def persona(db):
    return PersonaFactory(slug="archivist")


@pytest.mark.contract("14.4")
def test_an_agent_reads_its_own_reviews(client, agent, persona):
    review(AgentFactory(), persona, 1)
    first = review(agent, persona, 4.5, "Keeps everything.")
    second = review(agent, PersonaFactory(slug="scribe"), 3)

    response = client.get(URL)

    body = response.json()
    times = [(result["createdAt"], result["updatedAt"]) for result in body["results"]]
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert body == EMPTY | {
        "count": 2,
        "results": [
            {
                "reviewId": second.public_id,
                "personaSlug": "scribe",
                "rating": 3,
                "comment": "",
                "createdAt": times[0][0],
                "updatedAt": times[0][1],
                "agent": {"handle": "caller", "name": "The Caller"},
            },
            {
                "reviewId": first.public_id,
                "personaSlug": "archivist",
                "rating": 4.5,
                "comment": "Keeps everything.",
                "createdAt": times[1][0],
                "updatedAt": times[1][1],
                "agent": {"handle": "caller", "name": "The Caller"},
            },
        ],
    }


@pytest.mark.contract("10.9", "14.4")
def test_it_is_not_told_which_are_hidden(client, agent, persona):
    own = review(agent, persona, 4)
    before = client.get(URL).json()

    own.hide("Advertising.")

    assert client.get(URL).json() == before
    assert before["count"] == 1


@pytest.mark.contract("14.4")
def test_those_of_withdrawn_and_uninstalled_personas_are_listed(client, agent, persona):
    review(agent, persona, 4)
    review(agent, PersonaFactory(slug="scribe"), 4)
    client.post("/api/v1/agents/me/personas/uninstall", {"slug": "scribe"})
    Persona.objects.update(status="withdrawn")

    slugs = [result["personaSlug"] for result in client.get(URL).json()["results"]]

    assert slugs == ["scribe", "archivist"]


def test_a_deleted_one_is_not_listed(client, agent, persona):
    review(agent, persona, 4)
    client.delete(f"{URL}/archivist")

    assert client.get(URL).json() == EMPTY


def test_its_list_has_pages(client, client_of, agent):
    for number in range(3):
        review(agent, PersonaFactory(slug=f"persona-{number}"), 4)

    first = client.get(f"{URL}?limit=2").json()
    second = client.get(first["next"]).json()

    pages = [[result["personaSlug"] for result in page["results"]] for page in (first, second)]
    assert pages == [["persona-2", "persona-1"], ["persona-0"]]
    assert (first["count"], second["count"], second["next"]) == (3, 3, None)
    stolen = client_of(AgentFactory()).get(first["next"])
    assert (stolen.status_code, stolen.json()) == (400, {"error": "cursor is invalid"})


@pytest.mark.contract("2.9")
@pytest.mark.parametrize("name", ["sort", "rating", "page"])
def test_it_has_no_other_parameters(client, name):
    response = client.get(f"{URL}?{name}=1")

    error = f"Unknown query parameter '{name}'. Allowed: cursor, limit"
    assert (response.status_code, response.json()) == (400, {"error": error})
