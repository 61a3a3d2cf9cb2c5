"""How many statements each endpoint runs, the limiter and transaction control included."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from marketplace.http_cache.store import cached_responses
from marketplace.ratelimits import counters
from reports.models import Case
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)

INSTALL = "/api/v1/agents/me/{}/install"
REPORT = {"kind": "skill", "slug": "wanted", "reason": "spam"}
OWN = "/api/v1/agents/me/{}"


@dataclass
class Budget:
    name: str
    maximum: int
    request: Callable


BUDGETS = [
    Budget("skills", 1, lambda c: c.get("/api/v1/skills?tag=x&category=development")),
    Budget("skills by words", 2, lambda c: c.get("/api/v1/skills?q=skill&bundledIn=wanted")),
    Budget("personas", 1, lambda c: c.get("/api/v1/personas?sort=rating&free=true")),
    Budget("a skill", 1, lambda c: c.get("/api/v1/skills/wanted")),
    Budget("a file", 2, lambda c: c.get("/api/v1/skills/wanted/files/scripts/run.py")),
    Budget("an archive", 2, lambda c: c.get("/api/v1/skills/wanted/archive.zip")),
    Budget("a persona", 2, lambda c: c.get("/api/v1/personas/wanted")),
    Budget("the profile", 1, lambda c: c.get("/api/v1/agents/me")),
    Budget("the limits", 6, lambda c: c.get("/api/v1/agents/me/limits")),
    Budget("the manifest", 5, lambda c: c.get("/api/v1/agents/me/manifest")),
    Budget("own skills", 2, lambda c: c.get("/api/v1/agents/me/skills")),
    Budget("own personas", 2, lambda c: c.get("/api/v1/agents/me/personas")),
    # The token, the limit, BEGIN and COMMIT, the agent's lock, the install and its change; where it
    # depends on the entry, the turn at it; for an activation, the previous persona. The updates
    # have nothing to change here: tests/api/test_updates.py counts one that has.
    Budget(
        "a skill uninstall", 7, lambda c: c.post(OWN.format("skills/uninstall"), {"slug": "owned"})
    ),
    Budget(
        "a persona uninstall",
        7,
        lambda c: c.post(OWN.format("personas/uninstall"), {"slug": "owned"}),
    ),
    Budget("a skill update", 7, lambda c: c.post(OWN.format("skills/update"), {"slug": "owned"})),
    Budget(
        "a persona update", 7, lambda c: c.post(OWN.format("personas/update"), {"slug": "owned"})
    ),
    Budget("an activation", 9, lambda c: c.post(OWN.format("personas/activate"), {"slug": "idle"})),
    Budget(
        "a deactivation", 7, lambda c: c.post(OWN.format("personas/deactivate"), {"slug": "owned"})
    ),
    Budget("a change", 2, lambda c: c.patch("/api/v1/agents/me", {"name": "New"})),
    Budget("a claim", 9, lambda c: c.post("/api/v1/agents/me/confirm-claim", {"code": "x"})),
    Budget("a registration", 6, lambda c: c.post("/api/v1/agents/register", {})),
    Budget("a skill install", 3, lambda c: c.post(INSTALL.format("skills"), {"slug": "wanted"})),
    Budget(
        "a persona install", 3, lambda c: c.post(INSTALL.format("personas"), {"slug": "wanted"})
    ),
    Budget(
        "a persona install that activates",
        3,
        lambda c: c.post(INSTALL.format("personas"), {"slug": "wanted", "setActive": True}),
    ),
    Budget(
        "a first review",
        3,
        lambda c: c.post("/api/v1/agents/me/reviews", {"personaSlug": "owned", "rating": 3}),
    ),
    Budget("a deleted review", 9, lambda c: c.delete("/api/v1/agents/me/reviews/reviewed")),
    Budget("own reviews", 2, lambda c: c.get("/api/v1/agents/me/reviews")),
    # The state of the feed before and after.
    Budget("changes", 3, lambda c: c.get("/api/v1/changes?kind=skill&limit=3")),
    Budget("facets", 2, lambda c: c.get("/api/v1/facets?kind=skill")),
    Budget("the root", 0, lambda c: c.get("/api/v1")),
    Budget("a report", 15, lambda c: c.post("/api/v1/agents/me/reports", REPORT)),
    Budget("reviews", 2, lambda c: c.get("/api/v1/personas/reviewed/reviews?rating=4")),
]


def install(agent, active, idle, skill):
    PersonaInstallFactory(agent=agent, persona=active, is_active=True)
    PersonaInstallFactory(agent=agent, persona=idle)
    SkillInstallFactory(agent=agent, skill=skill)


def more_rows(agent, reviewed):
    """Ten more of everything that an endpoint could loop over."""
    skills = SkillFactory.create_batch(10, tags=["x"])
    PersonaFactory.create_batch(10, skills=skills)
    for skill in skills:
        SkillInstallFactory(agent=agent, skill=skill)
    for _ in range(10):
        install = PersonaInstallFactory(agent=agent, persona=PersonaFactory(skills=skills))
        review(agent, install.persona, 4)
        review(AgentFactory(), reviewed, 4)
    review(agent, reviewed, 4)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("budget", BUDGETS, ids=lambda budget: budget.name)
def test_an_endpoint_keeps_its_budget_for_any_number_of_rows(client, agent, budget, monkeypatch):
    monkeypatch.setattr(counters, "PURGE_ONE_IN", 10**9)  # its statement runs at random
    skill = SkillFactory(slug="wanted", tags=["x"], files={"scripts/run.py": b"print(1)"})
    PersonaFactory(slug="wanted", skills=[skill])
    entries = PersonaFactory(slug="owned"), PersonaFactory(slug="idle"), SkillFactory(slug="owned")
    install(agent, *entries)
    reviewed = PersonaFactory(slug="reviewed")
    review(agent, reviewed, 4)

    few = statements(client, budget)
    assert len(few) <= budget.maximum, "\n".join(few)

    more_rows(agent, reviewed)
    agent.skill_installs.filter(skill__slug__in=["wanted", "owned"]).delete()
    agent.persona_installs.filter(persona__slug__in=["wanted", "owned", "idle"]).delete()
    install(agent, *entries)
    agent.reviews.filter(persona__slug="owned").delete()
    agent.reports.all().delete()
    Case.objects.all().delete()

    assert len(statements(client, budget)) == len(few)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("skills", 1),
        ("skills?tag=x&sort=name", 1),
        ("skills?q=wanted", 2),  # for the ranking, and for the rows
        ("skills?q=wanted&sort=name", 2),
        ("skills/wanted", 1),
        ("personas/wanted", 1),
        ("personas/wanted/reviews", 2),  # for the persona, and for the rows
        ("changes?kind=persona", 1),
        ("facets?kind=skill", 1),
        ("", 0),
    ],
)
def test_a_cached_response_costs_its_validation_only(anyone, path, number):
    PersonaFactory(slug="wanted", skills=[SkillFactory(slug="wanted", tags=["x"])])
    first = anyone.get(f"/api/v1/{path}")

    with CaptureQueriesContext(connection) as captured:
        again = anyone.get(f"/api/v1/{path}")

    assert (again.content, again.headers) == (first.content, first.headers)
    assert len(captured.captured_queries) == number


def statements(client, budget):
    cached_responses.clear()
    with CaptureQueriesContext(connection) as captured:
        response = budget.request(client)
    assert response.status_code < 300 or budget.name == "a claim", response.content
    return [query["sql"] for query in captured.captured_queries]
