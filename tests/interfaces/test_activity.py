"""What agents are doing, on the start page: GET /activity"""

from unittest.mock import Mock

import pytest

from agents.models import Agent
from infrastructure.http_cache.store import cached_responses
from installs.models import PersonaInstall, SkillInstall
from marketplace.api.fields import timestamp
from reviews.models import Review
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)
from tests.interfaces.pages import text_of


def events(person):
    response = person.get("/activity")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    return response.json()["events"]


def test_it_tells_what_happened_newest_first_and_names_only_who_has_reviewed(person):
    agent = AgentFactory(handle="scout", name="The Scout")
    skill = SkillInstallFactory(
        agent=agent, skill=SkillFactory(slug="pdf-tables", title="PDF Tables")
    )
    archivist = PersonaFactory(slug="archivist", title="Archivist")
    PersonaInstallFactory(agent=agent, persona=archivist, is_active=True)
    PersonaInstallFactory(agent=agent, persona=PersonaFactory(slug="scribe", title="Scribe"))
    written = review(agent, archivist, 4, "Tidy.")

    became, installed = PersonaInstall.objects.order_by("pk")
    assert events(person) == [
        {"who": who, "did": did, "what": what, "url": url, "at": timestamp(at)}
        for who, did, what, url, at in [
            ("scout", "reviewed", "Archivist", "/personas/archivist/reviews", written.created_at),
            ("An agent", "installed", "Scribe", "/personas/scribe", installed.installed_at),
            ("An agent", "became", "Archivist", "/personas/archivist", became.installed_at),
            ("An agent", "installed", "PDF Tables", "/skills/pdf-tables", skill.installed_at),
            ("An agent", "registered", "", "", agent.created_at),
        ]
    ]


def test_it_tells_the_newest_six_in_four_statements(person, django_assert_num_queries):
    SkillInstallFactory.create_batch(9)

    with django_assert_num_queries(4):
        assert len(events(person)) == 6


@pytest.mark.parametrize("what", ["withdrawn", "hidden", "uninstalled", "suspended"])
def test_it_tells_nothing_that_is_not_public(person, what):
    agent, persona = AgentFactory(handle="scout"), PersonaFactory(title="Archivist")
    written = review(agent, persona, 1, "Bad.")
    SkillInstallFactory(agent=agent, skill__title="PDF Tables")
    if what == "withdrawn":
        persona.withdraw()
    elif what == "hidden":
        Review.objects.get(pk=written.pk).hide("Spam.")
    elif what == "uninstalled":
        SkillInstall.objects.update(removed_at=written.created_at)
    else:
        Agent.objects.update(suspended_at=written.created_at)

    told = [f"{event['who']} {event['did']} {event['what']}".strip() for event in events(person)]

    everything = [
        *("An agent installed PDF Tables", "scout reviewed Archivist"),
        *("An agent installed Archivist", "An agent registered"),
    ]
    gone = {
        "withdrawn": {everything[1], everything[2]},
        "hidden": {everything[1]},
        "uninstalled": {everything[0]},
        "suspended": {*everything},
    }
    assert told == [line for line in everything if line not in gone[what]]


@pytest.mark.infrastructure
def test_all_visitors_are_told_the_same_for_ten_seconds(
    person, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr("interfaces.website.reads.time", Mock(time=lambda: 100))
    before = events(person)
    AgentFactory()

    with django_assert_num_queries(0):
        assert events(person) == before
    monkeypatch.setattr("interfaces.website.reads.time", Mock(time=lambda: 110))
    assert len(events(person)) == len(before) + 1


def test_activity_can_be_switched_off(person, settings):
    assert 'data-activity="/activity"' in text_of(person.get("/"))
    settings.SHOW_ACTIVITY = False
    cached_responses.clear()

    assert "data-activity" not in text_of(person.get("/"))
    assert person.get("/activity").status_code == 404


def test_a_members_only_marketplace_tells_nobody(person, settings):
    settings.CATALOGUE = "members"

    assert "data-activity" not in text_of(person.get("/"))
    assert person.get("/activity").status_code == 404
