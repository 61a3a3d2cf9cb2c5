"""The charts of the dashboard: 14, 90 or 365 days, with axes and numbers to read"""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from installs.models import SkillInstall
from marketplace.adminsite import day_counts
from marketplace.adminsite.charts import compact, ticks_up_to
from marketplace.models import DayCount
from tests.factories import AgentFactory, SkillInstallFactory, ask_for_code, claim


def installed(days_ago):
    install = SkillInstallFactory()
    at = timezone.now() - timedelta(days=days_ago)
    SkillInstall.objects.filter(pk=install.pk).update(installed_at=at)


def installs(admin_client, days=""):
    charts = admin_client.get(f"/admin/?days={days}").context["charts"]
    return next(chart for chart in charts if chart["title"] == "Installs")


@pytest.mark.parametrize(("days", "bar"), [(14, "day"), (90, "week"), (365, "month")])
def test_a_period_is_chosen(admin_client, days, bar):
    for ago in (0, days - 1, days):
        installed(ago)

    chart = installs(admin_client, days)

    assert (chart["days"], chart["bar"], chart["total"], chart["today"]) == (days, bar, 2, 1)
    assert (chart["bars"][0]["rows"], chart["bars"][-1]["rows"]) == (1, 1)
    assert 12 <= len(chart["bars"]) <= 14
    page = admin_client.get(f"/admin/?days={days}").content.decode()
    assert f'<a href="?days={days}" aria-current="true">{days} days</a>' in page
    assert page.count("aria-current") == 1


@pytest.mark.parametrize("days", ["", "0", "15", "-1", "all", "9" * 5000])
def test_anything_else_is_14_days(admin_client, days):
    assert installs(admin_client, days)["days"] == 14


def test_numbers_axes_and_days_are_text(admin_client):
    for _ in range(3):
        installed(0)

    page = admin_client.get("/admin/").content.decode()

    [svg] = re.findall(r'<svg[^>]+aria-label="Installs per day.+?</svg>', page, re.DOTALL)
    today = timezone.now().date()
    assert f'{today.day} {today:%B} 3">' in svg
    assert re.search(r'class="number"[^>]*>3<', svg)
    assert re.findall(r'class="tick"[^>]*>(\d)<', svg) == ["0", "1", "2", "3"]
    assert f">{today.day}<" in svg


def test_a_first_visit_counts_the_newest_days_and_goes_on_at_the_next(admin_client, monkeypatch):
    monkeypatch.setattr(day_counts, "BATCHES", (14, 60))
    installed(80)
    installed(300)

    first = installs(admin_client, 365)
    assert (first["total"], first["uncounted"]) == (0, 365 - 1 - 74)
    assert DayCount.objects.filter(name="skillinstall").count() == 74
    second = installs(admin_client, 365)
    assert (second["total"], second["uncounted"]) == (1, 365 - 1 - 148)
    page = admin_client.get("/admin/?days=365").content.decode()
    assert "142 older days still to be counted: open this page again." in page


def test_a_slow_count_ends_after_its_batch_and_keeps_it(admin_client, monkeypatch):
    with monkeypatch.context() as slow:
        slow.setattr(day_counts, "MAX_SECONDS", 0)
        assert installs(admin_client, 365)["uncounted"] == 364 - 14

    assert installs(admin_client, 365)["uncounted"] == 0
    assert DayCount.objects.filter(name="skillinstall").count() == 364


def test_a_gap_between_days_that_are_counted_is_filled(admin_client):
    installed(5)
    installs(admin_client, 90)
    gap = timezone.now().date() - timedelta(days=5)
    DayCount.objects.filter(day=gap).delete()

    assert installs(admin_client, 90)["total"] == 1
    assert DayCount.objects.get(name="skillinstall", day=gap).rows == 1


@pytest.mark.parametrize("days", [14, 365])
def test_a_first_visit_needs_few_queries(admin_client, days):
    with CaptureQueriesContext(connection) as queries:
        installs(admin_client, days)

    assert len(queries) <= 15


@pytest.mark.parametrize(
    ("highest", "ticks"),
    [
        (0, [0, 1]),
        (1, [0, 1]),
        (7, [0, 2, 4, 6, 8]),
        (21, [0, 10, 20, 30]),
        (1_000_001, [0, 500_000, 1_000_000, 1_500_000]),
    ],
)
def test_an_axis_has_a_few_round_numbers(highest, ticks):
    assert ticks_up_to(highest) == ticks


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1000, "1k"), (1250, "1.2k"), (34_567, "34k"), (5_600_000, "5.6M")],
)
def test_a_number_beside_a_bar_is_short(number, text):
    assert compact(number) == text


# The way from registration to claim


def test_the_claims_are_shown_with_their_shares(admin_client):
    agents = AgentFactory.create_batch(6)
    for agent in agents[:2]:
        ask_for_code(agent)
    claim(agents[2])

    rankings = {
        each["title"]: each["rows"] for each in admin_client.get("/admin/").context["rankings"]
    }

    shown = [(text, str(number)) for text, number, _ in rankings["From registration to claim"]]
    assert shown == [
        ("Agents that have registered", "6"),
        ("Have asked for a code", "3 (50%)"),
        ("Wait for their code", "2 (33%)"),
        ("Are claimed", "1 (17%)"),
    ]
    for _, _, url in rankings["From registration to claim"][2:]:
        assert admin_client.get(url).status_code == 200
