"""The dashboard: rows by day, what is popular, what needs attention"""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import AgentToken
from catalogue.models import Skill
from installs.models import SkillInstall
from marketplace.adminsite import dashboard
from marketplace.models import DayCount
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    ask_for_code,
    review,
)


def charts(admin_client):
    page = admin_client.get("/admin/")
    return {
        chart["title"]: [bar["rows"] for bar in chart["bars"]] for chart in page.context["charts"]
    }


def aged(install, **ago):
    SkillInstall.objects.filter(pk=install.pk).update(
        installed_at=timezone.now() - timedelta(**ago)
    )


def test_an_empty_marketplace_has_a_page_too(admin_client):
    page = admin_client.get("/admin/")

    assert "Nothing waits for you." in page.content.decode()
    assert charts(admin_client) == {name: [0] * 14 for name in ("Agents", "Installs", "Reviews")}


def test_it_counts_the_rows_of_each_day(admin_client):
    for days in (0, 0, 1, 13, 14):
        aged(SkillInstallFactory(), days=days)
    review(AgentFactory(), PersonaFactory(), 4)

    shown = charts(admin_client)

    assert shown["Installs"] == [1, *[0] * 11, 1, 3]  # the review's persona install is today's
    assert shown["Reviews"] == [*[0] * 13, 1]
    assert shown["Agents"][-1] == 6


def test_a_day_that_is_over_is_counted_once(admin_client):
    install = SkillInstallFactory()
    aged(install, days=2)
    assert charts(admin_client)["Installs"][-3] == 1

    aged(install, days=3)
    aged(SkillInstallFactory(), days=0)

    assert charts(admin_client)["Installs"][-4:] == [0, 1, 0, 1]
    assert DayCount.objects.filter(name="skillinstall").count() == 13


def test_it_shows_what_is_popular(admin_client):
    for number in (3, 1):
        skill = SkillFactory(slug=f"of-{number}")
        for _ in range(number):
            SkillInstallFactory(skill=skill)
    aged(SkillInstallFactory(skill=SkillFactory(slug="old")), days=8)
    for slug, rating in (("good", 5), ("fair", 3)):
        review(AgentFactory(), PersonaFactory(slug=slug), rating)
    PersonaFactory(slug="unrated")

    rankings = {
        each["title"]: each["rows"] for each in admin_client.get("/admin/").context["rankings"]
    }

    assert [(text, number) for text, number, _ in rankings["Most installed skills this week"]] == [
        ("of-3", "3"),
        ("of-1", "1"),
    ]
    assert [(text, number) for text, number, _ in rankings["Personas by rating"]] == [
        ("good", "5.00 (1)"),
        ("fair", "3.00 (1)"),
    ]


def test_it_leads_to_what_needs_attention(admin_client):
    SkillFactory(status="draft")
    review(AgentFactory(), PersonaFactory(), 1, "Never again.")
    claim = AgentFactory().claim
    ask_for_code(claim.agent)
    AgentFactory().token.revoke("Reported as leaked")

    attention = admin_client.get("/admin/").context["attention"]

    assert [(item["text"], str(item["number"])) for item in attention] == [
        ("skills in draft", "1"),
        ("claims that wait for their code", "1"),
        ("tokens that were reported as leaked this week", "1"),
        ("reviews of this week with one star", "1"),
    ]
    for item in attention:
        assert len(admin_client.get(item["url"]).context["cl"].result_list) == 1


def test_a_token_that_was_revoked_long_ago_or_by_staff_needs_no_attention(admin_client):
    old, revoked = AgentFactory().token, AgentFactory().token
    old.revoke("Reported as leaked")
    revoked.revoke("Revoked by staff")
    AgentToken.objects.filter(pk=old.pk).update(revoked_at=timezone.now() - timedelta(days=8))

    assert admin_client.get("/admin/").context["attention"] == []


def test_a_large_table_is_estimated_and_says_so(admin_client, monkeypatch):
    monkeypatch.setattr(dashboard, "MAX_EXACT", 3)
    SkillFactory.create_batch(5)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE catalogue_skill")

    totals = {
        total["name"]: str(total["number"])
        for total in admin_client.get("/admin/").context["totals"]
    }

    assert (totals["skills"], totals["personas"]) == ("about 5", "0")


@pytest.mark.parametrize("many", [1, 30])
def test_it_needs_few_queries_whatever_there_is(admin_client, many):
    for _ in range(many):
        SkillInstallFactory()
        review(AgentFactory(), PersonaFactory(), 1)
    admin_client.get("/admin/")

    with CaptureQueriesContext(connection) as queries:
        admin_client.get("/admin/")

    assert len(queries) <= 13


def test_it_loads_nothing_from_another_host(admin_client):
    SkillFactory()
    text = admin_client.get("/admin/").content.decode()

    assert Skill.objects.exists()
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
