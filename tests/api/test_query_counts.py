"""How many statements each endpoint runs, including the limiter and transaction control."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Persona
from infrastructure.http_cache.store import cached_responses
from tests.cleanup import empty_the_database
from tests.conftest import ApiClient
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)
from tests.registry import OPERATION, OPERATIONS, call, prepare, send_submission


def variant(name, of, **changes):
    return replace(OPERATION[of], name=name, **changes)


# Other requests to an operation, which need as many or more.
BUDGETS = [
    variant(
        "skills by words", "list_skills", example="/skills?q=pdf&bundledIn=archivist", budget=2
    ),
    variant(
        "an install that activates", "install_persona", body={"slug": "binder", "setActive": True}
    ),
    variant("a wrong code", "confirm_claim", body={"code": "x"}, budget=12, status=400),
    *OPERATIONS,
]
CACHED = [
    *(operation for operation in OPERATIONS if operation.cached_budget is not None),
    variant("skills by name", "list_skills", example="/skills?tag=tables&sort=name"),
    # One for the ranking, one for the rows.
    variant("skills by words", "list_skills", example="/skills?q=pdf", cached_budget=2),
    variant("words by name", "list_skills", example="/skills?q=pdf&sort=name", cached_budget=2),
]


def more_rows(agent):
    """Ten more of everything that an endpoint could loop over."""
    curator = Persona.objects.get(slug="curator")
    skills = SkillFactory.create_batch(10, tags=["tables"])
    PersonaFactory.create_batch(10, skills=skills)
    for skill in skills:
        SkillInstallFactory(agent=agent, skill=skill)
    for number in range(10):
        send_submission(agent, f"submission_{number}", slug=f"sent-{number}")
        install = PersonaInstallFactory(agent=agent, persona=PersonaFactory(skills=skills))
        review(agent, install.persona, 4)
        review(AgentFactory(), curator, 4)


def client_with_rows(*more):
    """A client and a database with the rows of the examples, and `more`."""
    empty_the_database()
    agent = AgentFactory(handle="caller")
    prepare(agent)
    PersonaFactory(slug="binder")
    for add in more:
        add(agent)
    client = ApiClient()
    client.token = agent.token.text
    return client


def statements(client, operation):
    cached_responses.clear()
    with CaptureQueriesContext(connection) as captured:
        response = call(client, operation)
    assert response.status_code == operation.status, response.content
    return [query["sql"] for query in captured.captured_queries]


@pytest.mark.django_db(transaction=True)
def test_an_operation_keeps_its_budget_for_any_number_of_rows(subtests):
    client = client_with_rows()
    few = [statements(client, operation) for operation in BUDGETS]
    client = client_with_rows(more_rows)
    many = [statements(client, operation) for operation in BUDGETS]

    for operation, one, other in zip(BUDGETS, few, many, strict=True):
        with subtests.test(operation.name):
            assert len(one) <= operation.budget, "\n".join(one)
            assert len(other) == len(one), "\n".join(other)


@pytest.mark.infrastructure
@pytest.mark.django_db(transaction=True)
def test_a_cached_response_costs_its_validation_only(anyone, subtests):
    prepare(AgentFactory())

    for operation in CACHED:
        with subtests.test(operation.name):
            first = call(anyone, operation)
            with CaptureQueriesContext(connection) as captured:
                again = call(anyone, operation)

            assert (again.content, again.headers) == (first.content, first.headers)
            assert len(captured.captured_queries) == operation.cached_budget
