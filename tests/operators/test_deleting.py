"""An operator deletes an agent, and nothing that others count on is lost (contract 19.22)"""

from io import StringIO

import pytest
from django.core.management import call_command

from agents.models import Agent, AgentToken, OperatorKey
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from submissions.models import Maintainer, Submission
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim, review
from tests.operators.conftest import OperatorBrowser
from tests.registry import send_submission

DELETE = "/operator/agents/caller/delete"
ME = "/api/v1/agents/me"
UNAUTHENTICATED = (401, {"error": "Authentication required"})

pytestmark = pytest.mark.contract("19.22")


@pytest.fixture
def persona(agent):
    """A persona that `agent` and another one have and reviewed."""
    persona = PersonaFactory(slug="archivist")
    review(AgentFactory(), persona, 2, "Slow.")
    review(agent, persona, 5, "Written by Ada.")
    return persona


def rating(client):
    fields = client.get("/api/v1/personas/archivist").json()
    return fields["ratingAvg"], fields["ratingCount"]


def test_it_ends_as_if_the_agent_had_removed_everything_itself(
    console, agent, client, anyone, persona, settings
):
    settings.SUBMISSIONS = "open"
    skill = SkillFactory(slug="pdf-tables")
    client.post(f"{ME}/skills/install", {"slug": "pdf-tables"})
    client.post(f"{ME}/personas/activate", {"slug": "archivist"})
    client.patch(ME, {"name": "Ada's mill", "description": "For Ada.", "runtime": "Ada's laptop"})
    AgentToken.objects.issue(agent, name="Ada's phone")
    pending = send_submission(agent)
    Submission.objects.update(note="From Ada.")
    maintainer = Maintainer.objects.add(skill, agent)
    call_command("recount", fix=True, stdout=StringIO())  # The factories count no installs.
    assert rating(anyone) == (3.5, 2)

    page = console.submit(DELETE, handle="caller")

    assert (page.status_code, page["Location"]) == (302, "/operator")
    refused = client.get(ME)
    assert (refused.status_code, refused.json()) == UNAUTHENTICATED
    assert rating(anyone) == (2, 1)
    assert [row["comment"] for row in reviews_of(anyone)] == ["Slow."]
    assert anyone.get("/api/v1/skills/pdf-tables").json()["downloads"] == 1
    assert not SkillInstall.objects.present().exists()
    assert not PersonaInstall.objects.present().filter(agent=agent).exists()
    pending.refresh_from_db()
    assert (pending.state, pending.content, pending.note) == ("withdrawn", None, "")
    maintainer.refresh_from_db()
    assert maintainer.removed_at  # and the entry stays closed
    recounted = StringIO()
    call_command("recount", stdout=recounted)
    assert recounted.getvalue() == "Every counter is correct.\n"


def reviews_of(client):
    return client.get("/api/v1/personas/archivist/reviews").json()["results"]


def test_what_it_said_is_erased_and_its_handle_stays_taken(console, agent, client, anyone, persona):
    client.patch(ME, {"name": "Ada's mill", "description": "For Ada."})
    AgentToken.objects.issue(agent, name="Ada's phone")
    console.submit("/operator/agents/caller/pause")
    agent.reviews.get().take_snapshot(reason="Looked at it.")

    console.submit(DELETE, handle="caller")

    agent.refresh_from_db()
    assert (agent.state, agent.name, agent.description, agent.runtime) == ("deleted", "", "", "")
    assert (agent.claim.status, agent.claim.operator_email) == ("unclaimed", "")
    assert OperatorKey.objects.get().revoked_at
    rows = [*Agent.history.values(), *AgentToken.history.values(), *AgentToken.objects.values()]
    rows += [*Review.objects.filter(agent=agent).values(), *Review.history.values()]
    texts = [str(value) for row in rows for name, value in row.items() if name != "operator"]
    assert not [text for text in texts if "Ada" in text]
    agent.restore()
    assert Agent.objects.get(handle="caller").suspended_at
    taken = anyone.post("/api/v1/agents/register", {"handle": "caller"})
    assert (taken.status_code, taken.json()) == (409, {"error": "Handle already taken"})


@pytest.mark.parametrize("handle", ["", "other", "caller2", "x" * 40])
def test_another_handle_deletes_nothing(console, agent, client, handle):
    page = console.submit(DELETE, handle=handle)

    assert page.status_code == 400
    assert page.content.decode().count('class="error"') == 1
    assert client.get(ME).status_code == 200


def test_the_other_agents_of_the_key_stay(console, agent, key):
    claim(AgentFactory(handle="second"), key=key)

    console.submit(DELETE, handle="caller")

    page = console.get("/operator")
    assert "second" in page.content.decode()
    assert "/agents/caller" not in page.content.decode()
    assert OperatorBrowser(key).get(DELETE).status_code == 404
