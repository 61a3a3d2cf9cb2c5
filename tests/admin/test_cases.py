"""The queue of reported skills, personas and reviews, and the page of a case"""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Agent
from reports.models import Report
from tests.admin.actions import take_action
from tests.admin.cases import QUEUE, reported
from tests.admin.rows import change_page
from tests.factories import (
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)


@pytest.fixture
def skill(db):
    return SkillFactory(slug="pdf-tables", title="PDF Tables", files={"scripts/run.py": b"1"})


def rows(page):
    """The texts of the queue's cells, row by row."""
    table = re.search(r"<tbody.*</tbody>", page.content.decode(), re.DOTALL)[0]
    cells = [re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL) for row in table.split("</tr>")]
    return [
        [re.sub(r"\s+", " ", re.sub("<[^>]*>", "", cell)).strip() for cell in row]
        for row in cells
        if row
    ]


def listed(admin_client, query=""):
    return [str(case) for case in admin_client.get(QUEUE + query).context["cl"].result_list]


@pytest.mark.contract("18.4")
def test_the_reports_of_fresh_agents_are_one_row_with_their_ages(admin_client, skill):
    reported(skill, *["spam"] * 9)
    reported(skill, "malicious", age=timedelta(days=3))

    [row] = rows(admin_client.get(QUEUE))

    assert row[1:5] == ["skill pdf-tables", "10", "malicious, spam", "0 minutes to 3 days"]


def test_the_newest_comes_first_or_the_most_reported(admin_client, skill):
    reported(skill, "spam", "spam")
    reported(PersonaFactory(slug="archivist"), "other")

    assert listed(admin_client) == ["persona archivist", "skill pdf-tables"]
    assert listed(admin_client, "?o=-2") == ["skill pdf-tables", "persona archivist"]
    # Reported again.
    reported(skill, "broken")
    assert listed(admin_client) == ["skill pdf-tables", "persona archivist"]


def test_a_resolved_case_leaves_the_queue(admin_client, skill):
    case = reported(skill, "spam")
    reported(PersonaFactory(slug="archivist"), "other")

    take_action(admin_client, "resolve", case, resolution="It is no spam.")

    assert listed(admin_client) == ["persona archivist"]
    assert listed(admin_client, "?state=resolved") == ["skill pdf-tables"]
    assert len(listed(admin_client, "?state=all")) == 2
    assert listed(admin_client, "?kind=skill") == []
    case.refresh_from_db()
    assert (case.open_reports, case.resolution) == (0, "It is no spam.")
    assert LogEntry.objects.get().change_message == "Resolved: It is no spam."
    history = admin_client.get(f"{QUEUE}{case.pk}/history/").content.decode()
    assert "<b>Resolved: It is no spam.</b>" in history
    assert "clerk-0" in history
    # Whoever looks at it the next time reads what was found.
    reported(case.skill, "other")
    assert "It is no spam." in admin_client.get(change_page(case)).content.decode()


def test_a_case_that_is_open_again_shows_the_open_reports_alone(admin_client, skill):
    case = reported(skill, "spam", "license", age=timedelta(days=3))
    take_action(admin_client, "resolve", case)
    [resolved] = rows(admin_client.get(f"{QUEUE}?state=resolved"))
    assert resolved[1:5] == ["skill pdf-tables", "0", "license, spam", "3 days"]

    reported(skill, "malicious")

    [row] = rows(admin_client.get(QUEUE))
    assert row[1:5] == ["skill pdf-tables", "1", "malicious", "0 minutes"]


def test_the_dashboard_counts_what_waits(admin_client, skill):
    assert "Open cases" not in admin_client.get("/admin/").content.decode()

    reported(skill, "spam", "spam")

    page = admin_client.get("/admin/")
    [item] = page.context["attention"]
    assert (item["text"], str(item["number"]), item["url"]) == ("open cases", "1", QUEUE)
    assert "Open cases" in page.content.decode()


@pytest.mark.contract("18.4")
def test_the_page_of_a_case_shows_the_entry_its_files_and_its_holders(admin_client, skill):
    SkillInstallFactory(skill=skill, agent__handle="holder")
    skill.content = "# How to read\n\nRun it."
    skill.save()
    case = reported(skill, "malicious", age=timedelta(days=2))

    page = admin_client.get(change_page(case)).content.decode()

    assert "1 open report" in page
    assert "malicious: Because it is malicious." in page
    assert "2\xa0days old" in page
    assert "PDF Tables (published)" in page
    assert '<h2 id="text-how-to-read">How to read</h2>' in page
    assert "scripts/run.py" in page
    assert "Held by 1 agent" in page
    assert "holder" in page
    assert f'href="{change_page(skill)}"' in page


def test_the_page_of_an_entry_leads_to_its_case(admin_client, skill):
    assert "open report" not in admin_client.get(change_page(skill)).content.decode()

    case = reported(skill, "spam", "spam")

    page = admin_client.get(change_page(skill)).content.decode()
    assert f'href="{change_page(case)}">2 open reports</a>' in page


def test_ages_are_those_at_the_time_of_the_report(admin_client, skill):
    reported(skill, "spam", "spam")
    Agent.objects.update(created_at=timezone.now() - timedelta(days=30))
    Report.objects.update(updated_at=timezone.now() - timedelta(days=29))

    assert rows(admin_client.get(QUEUE))[0][4] == "1 day"
    assert rows(admin_client.get("/admin/reports/report/"))[0][3] == "1 day"


def test_a_suspended_reporter_is_marked(admin_client, skill):
    case = reported(skill, "spam")
    take_action(admin_client, "suspend", Report.objects.get(), reason="Floods.")

    for url in ("/admin/reports/report/", change_page(case)):
        assert f"{Agent.objects.get()} (suspended)" in admin_client.get(url).content.decode()


def test_the_page_of_a_review_shows_it(admin_client, agent):
    written = review(agent, PersonaFactory(slug="archivist"), 1, "Buy <b>here</b>.")
    case = reported(written, "spam")

    page = admin_client.get(change_page(case)).content.decode()

    assert "review of archivist by caller" in page
    assert "Buy &lt;b&gt;here&lt;/b&gt;." in page


def test_a_moderator_sees_of_the_entry_what_everybody_sees(admin_client_of, skill):
    skill.content = "# How to read"
    skill.save()
    case = reported(skill, "spam")
    moderator = admin_client_of("Moderators")

    page = moderator.get(change_page(case)).content.decode()

    assert "PDF Tables (published)" in page
    assert "Because it is spam." in page
    assert 'href="/skills/pdf-tables"' in page
    assert "/admin/catalogue/" not in page
    assert "How to read" not in page
    skill.redraft()
    assert 'href="/skills/pdf-tables"' not in moderator.get(change_page(case)).content.decode()


def test_permission_for_cases_alone_shows_no_reports(skill):
    case = reported(skill, "spam")
    user = User.objects.create_user("viewer", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_case"))
    client = Client()
    client.force_login(user)

    page = client.get(change_page(case)).content.decode()

    assert "PDF Tables (published)" in page
    assert "Because it is spam." not in page


def test_the_queue_needs_few_queries_however_many_reports_there_are(admin_client, skill):
    case = reported(skill, "spam")
    pages = [QUEUE, f"{QUEUE}?o=-2", change_page(case), "/admin/reports/report/"]
    before = [queries(admin_client, page) for page in pages]

    agents = Agent.objects.bulk_create(Agent(handle=f"fresh-{n}") for n in range(120))
    for target in SkillFactory.create_batch(5):
        reported(target, "spam")
    Report.objects.bulk_create(
        Report(agent=agent, case=case, reason="spam", updated_at=timezone.now()) for agent in agents
    )

    assert [queries(admin_client, page) for page in pages] == before
    assert max(before) <= 15


def queries(admin_client, url):
    with CaptureQueriesContext(connection) as captured:
        assert admin_client.get(url).status_code == 200
    return len(captured.captured_queries)
