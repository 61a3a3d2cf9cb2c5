"""Races of reports end in one report per agent and target, and in a true count for each case."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection

from reports.models import Case, Report
from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.system.races import ME, ROUNDS, rounds, statuses

REASONS = Report.Reason.values


def report(agent, target):
    kind = type(target).__name__.lower()
    body = {"kind": kind, "slug": target.slug, "reason": random.choice(REASONS)}
    return "POST", f"{ME}/reports", body, agent


def assert_counted(target):
    case = Case.objects.get(**{type(target).__name__.lower(): target})
    assert case.open_reports == case.reports.open().count()
    return case


def test_many_agents_that_report_the_same_make_one_case(concurrently):
    for parallel in rounds():
        agents, skill = AgentFactory.create_batch(parallel), SkillFactory()

        responses = concurrently([report(agent, skill) for agent in agents])

        assert statuses(responses) == {201: parallel}
        assert assert_counted(skill).open_reports == parallel


@pytest.mark.contract("18.2")
def test_an_agent_that_reports_the_same_many_times_has_one_report(concurrently):
    for parallel in rounds():
        agent, persona = AgentFactory(), PersonaFactory()

        responses = concurrently([report(agent, persona)] * parallel)

        assert statuses(responses) == {201: 1, 200: parallel - 1}
        assert len({response.json()["reportId"] for response in responses}) == 1
        assert assert_counted(persona).open_reports == 1


def test_no_report_is_lost_while_staff_resolve(concurrently):
    agents, skill = AgentFactory.create_batch(16), SkillFactory()
    concurrently([report(agents[0], skill)])
    is_over = Event()

    def resolve():
        while not is_over.is_set():
            Case.objects.get(skill=skill).resolve("Looked at.")
        connection.close()

    with ThreadPoolExecutor(1) as staff:
        resolving = staff.submit(resolve)
        try:
            for _ in range(ROUNDS):
                responses = concurrently([report(agent, skill) for agent in agents])
                assert set(statuses(responses)) <= {200, 201}
        finally:
            is_over.set()
        resolving.result()

    case = assert_counted(skill)
    assert (case.resolved_at is None) == (case.open_reports > 0)
    concurrently([report(agents[0], skill)])
    assert assert_counted(skill).open_reports >= 1
    assert Report.objects.filter(case=case).count() == len(agents)
