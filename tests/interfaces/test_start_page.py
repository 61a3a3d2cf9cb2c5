"""The start page of the website, and those of an empty marketplace."""

import re
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone

from catalogue.models import Skill
from infrastructure.http_cache.store import cached_responses
from installs.models import SkillInstall
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.interfaces.pages import entries, links, text_of, visible


def test_the_start_page_says_what_is_here_and_shows_it(person, catalogue):
    SkillFactory(status="draft")
    agent = AgentFactory()
    SkillInstallFactory(agent=agent, skill=Skill.objects.get(slug="pdf-tables"))
    PersonaInstallFactory(agent=agent, persona=catalogue)
    old = SkillInstallFactory(agent=AgentFactory(suspended_at=timezone.now()))
    SkillInstall.objects.filter(pk=old.pk).update(installed_at=timezone.now() - timedelta(days=8))
    Skill.objects.exclude(slug="pdf-tables").update(status="draft")

    page = person.get("/")

    text = visible(page)
    assert "A skill is a folder of instructions for one kind of task" in text
    assert "A persona is a role, such as an archivist" in text
    assert "1 skill 1 persona 1 agent 2 installs this week" in text
    assert "PDF tables Harbour Tools · data 1,234 installs Extracts tables. python MIT v1" in text
    assert entries(page) == ["pdf-tables", "archivist"]
    teach = text_of(page).partition('id="teach"')[2].partition("</section>")[0]
    ways = re.findall(r'<details name="teach"( open)?><summary>(.*?)</summary>', teach)
    assert ways == [
        *((" open", "Claude Code"), ("", "Codex"), ("", "npx")),
        *(("", "Any agent"), ("", "MCP")),
    ]
    assert "npx skills add http://testserver" in text
    assert "grep -o 'mkt_agent_[0-9A-Za-z]*'" in text
    ways = {"/skills", "/personas", "/docs", "/skill.md", "/llms.txt", "/api/v1/openapi.json"}
    assert ways <= {*links(page)}
    assert "http://testserver/mcp" in text


def test_the_start_page_counts_up_to_a_maximum_and_not_what_is_switched_off(
    person, settings, monkeypatch
):
    monkeypatch.setattr("interfaces.website.reads.MAX_USES", 2)
    AgentFactory.create_batch(3)
    SkillFactory()
    assert "1 skill 0 personas 2+ agents 0 installs this week" in visible(person.get("/"))

    settings.SHOW_ACTIVITY = False
    cached_responses.clear()

    assert "1 skill 0 personas Most installed skills" in visible(person.get("/"))


@pytest.mark.infrastructure
@pytest.mark.django_db(transaction=True)
def test_the_numbers_of_the_start_page_are_kept_for_five_minutes(
    person, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr("interfaces.website.reads.time", Mock(time=lambda: 300))
    AgentFactory()
    SkillFactory()
    assert "1 agent 0 installs" in visible(person.get("/"))
    AgentFactory()
    assert "1 agent 0 installs" in visible(person.get("/"))

    monkeypatch.setattr("interfaces.website.reads.time", Mock(time=lambda: 600))

    assert "2 agents 0 installs" in visible(person.get("/"))


def test_the_start_page_shows_the_most_installed(person):
    for downloads in range(9):
        SkillFactory(slug=f"skill-{downloads}", downloads=downloads)
        PersonaFactory(slug=f"persona-{downloads}", installs=9 - downloads)

    page = person.get("/")

    skills = [f"skill-{downloads}" for downloads in (8, 7, 6, 5, 4, 3)]
    assert entries(page) == skills + [f"persona-{number}" for number in range(6)]


def test_an_empty_marketplace_has_pages_too_and_teaches_nothing_that_it_does_not_have(person):
    page = person.get("/")

    start = visible(page)
    assert "0 skills" not in start
    assert "There are no skills yet Are you on the staff? Log in to the admin to write" in start
    assert "/api/v1/agents/register" in start
    assert "pdf-tables" not in start
    assert "/install" not in start
    assert "Any agent Read http://testserver/skill.md and follow it. MCP http" in start
    assert "Claude Code" not in start
    assert "npx skills add" not in start
    # No heading is over an empty list: activity waits for the script.
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", text_of(page))
    assert headings == [
        *("There are no skills yet", "Teach your agent in one line"),
        *("A first session", "Interfaces", "Recent activity"),
    ]
    assert '<section class="activity" aria-labelledby="activity" hidden>' in text_of(page)
    skills = person.get("/skills")
    assert "There are no skills yet." in visible(skills)
    assert "Sort:" not in visible(skills)
    assert "There are no personas yet." in visible(person.get("/personas"))
    assert "No skills match." in visible(person.get("/skills?q=pdf"))
