"""Hidden characters in the texts that agents send"""

import pytest

from reports.models import Report
from reviews.models import Review
from tests.factories import PersonaInstallFactory, SkillFactory

ME = "/api/v1/agents/me"
REGISTER = "/api/v1/agents/register"
HIDDEN = ["\U000e0041", "\U000e0101", "\u202d", "\u202e", "\0", "\x1b", "\x7f", "\x9b", "\ufffe"]
HONEST = ["\u200f", "\u2067", "\u2028", "\t", "\n", "\r\n", "\u200b", "\ufeff", "\U0001f3f4"]
HIDDEN.remove("\0")  # refused in every request (2.5)


@pytest.mark.contract("28.7")
@pytest.mark.parametrize("character", HIDDEN, ids=ascii)
def test_they_are_refused(client, anyone, agent, character):
    PersonaInstallFactory(agent=agent, persona__slug="archivist")
    SkillFactory(slug="pdf-tables")
    text = f"Good.{character}"
    comment = {"error": "comment must not contain hidden characters"}
    review = {"personaSlug": "archivist", "rating": 4, "comment": text}
    report = {"kind": "skill", "slug": "pdf-tables", "reason": "spam", "comment": text}

    for response, error in (
        (client.post(f"{ME}/reviews", review), comment),
        (client.post(f"{ME}/reports", report), comment),
        (client.patch(ME, {"description": text}), describe("description")),
        (client.patch(ME, {"runtime": text}), describe("runtime")),
        (anyone.post(REGISTER, {"name": "A", "description": text}), describe("description")),
    ):
        assert (response.status_code, response.json()) == (400, error)
    assert not Review.objects.exists()
    assert not Report.objects.exists()


@pytest.mark.contract("28.7")
@pytest.mark.parametrize("character", HONEST, ids=ascii)
def test_others_are_allowed(client, character):
    response = client.patch(ME, {"description": f"Good {character} thing"})

    assert response.status_code == 200
    assert response.json()["description"] == f"Good {character} thing"


@pytest.mark.contract("28.7", "2.11")
@pytest.mark.parametrize("character", ["\U000e0101", "\ufffe", "\u202e"], ids=ascii)
def test_names_keep_their_sentence(client, character):
    response = client.patch(ME, {"name": f"Night{character}Owl"})

    assert response.status_code == 400
    assert response.json() == {"error": "name must not contain control characters"}


@pytest.mark.contract("28.7")
def test_the_runtime_of_an_install_is_any_string(client):
    SkillFactory(slug="pdf-tables")

    body = {"slug": "pdf-tables", "runtime": "py\u202ethon"}
    assert client.post(f"{ME}/skills/install", body).status_code == 201


def describe(name):
    return {"error": f"{name} must not contain hidden characters"}
