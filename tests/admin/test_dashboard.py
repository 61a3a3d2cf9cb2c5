"""The dashboard: rows by day, what is popular, what needs attention"""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import AgentToken
from catalogue.models import Skill
from installs.models import SkillInstall
from marketplace.adminsite import dashboard
from reviews.models import Review
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    ask_for_code,
    claim,
    review,
)


def rows_per_day(admin_client):
    """`{title: [number]}`, the newest day first."""
    days = admin_client.get("/admin/").context["days"]
    columns = zip(*([number for number, _ in row] for _, row in days["rows"]), strict=True)
    titles = [chart["title"] for chart in days["charts"]]
    return {title: list(column) for title, column in zip(titles, columns, strict=True)}


def aged(install, **ago):
    SkillInstall.objects.filter(pk=install.pk).update(
        installed_at=timezone.now() - timedelta(**ago)
    )


def test_an_empty_marketplace_has_a_page_too(admin_client):
    page = admin_client.get("/admin/")

    assert "Nothing needs your attention." in page.content.decode()
    assert rows_per_day(admin_client) == {
        name: [0] * 30 for name in ("Agents", "Skill installs", "Persona installs", "Reviews")
    }


def test_it_counts_the_rows_of_each_day(admin_client):
    for days in (0, 1, 29, 30):
        aged(SkillInstallFactory(), days=days)
    review(AgentFactory(), PersonaFactory(), 4)

    numbers = rows_per_day(admin_client)

    assert numbers["Skill installs"] == [1, 1, *[0] * 27, 1]
    assert numbers["Persona installs"] == numbers["Reviews"] == [1, *[0] * 29]
    assert numbers["Agents"][0] == 5
    days = admin_client.get("/admin/").context["days"]
    [chart] = [chart for chart in days["charts"] if chart["title"] == "Skill installs"]
    assert (str(chart["total"]), str(chart["most"])) == ("3", "1")
    bars = [height for _, _, height in chart["bars"]]  # the newest day last
    assert bars == [100, *[0] * 27, 100, 100]
    # A number leads to its rows.
    links = [chart["url"], *(row[1][1] for _, row in days["rows"][:3])]
    listed = [admin_client.get(url).context["cl"].result_count for url in links]
    assert listed == [3, 1, 1, 0]


def test_deleted_reviews_are_neither_counted_nor_listed(admin_client):
    kept, hidden, deleted = (review(AgentFactory(), PersonaFactory(), 4) for _ in range(3))
    hidden.hide("Advertising.")
    Review.objects.delete_own(deleted.agent, deleted.persona.slug)

    page = admin_client.get("/admin/")

    [total] = [total for total in page.context["totals"] if total["name"] == "reviews"]
    days = page.context["days"]
    number, today = days["rows"][0][1][-1]
    chart = days["charts"][-1]
    assert (str(total["number"]), str(chart["total"]), number) == ("2", "2", 2)
    for url in (total["url"], chart["url"], today):
        assert {*admin_client.get(url).context["cl"].result_list} == {kept, hidden}


def test_needs_attention_comes_first(admin_client):
    text = admin_client.get("/admin/").content.decode()

    assert (
        text.index("Needs attention")
        < text.index("staff-totals")
        < text.index("New in the last 30 days")
    )


def test_a_day_is_one_of_utc(admin_client, monkeypatch):
    now = datetime(2026, 3, 2, 0, 30, tzinfo=UTC)
    monkeypatch.setattr("marketplace.adminsite.dashboard.timezone.now", lambda: now)
    for minutes in (0, 29, 31):
        SkillInstall.objects.filter(pk=SkillInstallFactory().pk).update(
            installed_at=now - timedelta(minutes=minutes)
        )

    assert rows_per_day(admin_client)["Skill installs"][:3] == [2, 1, 0]
    page = admin_client.get("/admin/").content.decode()
    [today] = re.findall('<th scope="row">Mon 2 Mar</th>(.*)</tr>', page)
    assert re.findall(r"(?:>|lt=2026-03-03T00%3A00Z\">)(\d+)<", today) == ["3", "2", "0", "0"]


def test_all_days_are_counted_in_one_statement(admin_client):
    with CaptureQueriesContext(connection) as queries:
        rows_per_day(admin_client)

    assert len([query for query in queries if 'AS "day"' in query["sql"]]) == 1


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
        ranking["title"]: ranking["rows"]
        for ranking in admin_client.get("/admin/").context["rankings"]
    }

    assert [(text, number) for text, number, _ in rankings["Most installed skills this week"]] == [
        ("of-3", "3"),
        ("of-1", "1"),
    ]
    assert [(text, number) for text, number, _ in rankings["Personas by rating"]] == [
        ("good", "5.00 (1)"),
        ("fair", "3.00 (1)"),
    ]


@pytest.mark.contract("15.11")
def test_it_leads_to_what_needs_attention(admin_client):
    SkillFactory(status="draft")
    review(AgentFactory(), PersonaFactory(), 1, "Never again.")
    claim = AgentFactory().claim
    ask_for_code(claim.agent)
    AgentFactory().token.revoke("Reported as leaked")

    attention = admin_client.get("/admin/").context["attention"]

    assert [(item["text"], str(item["number"])) for item in attention] == [
        ("skills in draft", "1"),
        ("claims that agents have not confirmed", "1"),
        ("tokens reported as leaked this week", "1"),
        ("one-star reviews this week", "1"),
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


def test_it_needs_few_queries_whatever_there_is(admin_client):
    for _ in range(20):
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
    assert "://" not in text


# The way from registration to claim


def test_the_claims_are_shown_with_their_shares(admin_client):
    agents = AgentFactory.create_batch(6)
    for agent in agents[:2]:
        ask_for_code(agent)
    claim(agents[2])

    rankings = {
        ranking["title"]: ranking["rows"]
        for ranking in admin_client.get("/admin/").context["rankings"]
    }

    rows = [(text, str(number)) for text, number, _ in rankings["From registration to claim"]]
    assert rows == [
        ("Registered", "6"),
        ("Requested a code", "3 (50%)"),
        ("Waiting for the agent", "2 (33%)"),
        ("Claimed", "1 (17%)"),
    ]
    for _, _, url in rankings["From registration to claim"]:
        assert admin_client.get(url).status_code == 200
