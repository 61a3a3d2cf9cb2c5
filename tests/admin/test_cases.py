"""The queue of reported skills, personas and reviews, and what staff do about them"""

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
from catalogue.models import Skill
from reports.models import Case, Report
from tests.admin.actions import take_action
from tests.admin.rows import change_page
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)

QUEUE = "/admin/reports/case/"


@pytest.fixture
def skill(db):
    return SkillFactory(slug="pdf-tables", title="PDF Tables", files={"scripts/run.py": b"1"})


def reported(target, *reasons, age=timedelta(0)):
    """The case of a target that an agent each has reported for these reasons."""
    for reason in reasons:
        agent = AgentFactory()
        Agent.objects.filter(pk=agent.pk).update(created_at=timezone.now() - age)
        Report.objects.submit(agent, target, reason=reason, comment=f"Because it is {reason}.")
    return Case.objects.get(**{type(target).__name__.lower(): target})


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


def test_a_hundred_reports_by_fresh_agents_are_one_row_with_their_ages(admin_client, skill):
    reported(skill, *["spam"] * 99)
    reported(skill, "malicious", age=timedelta(days=3))

    [row] = rows(admin_client.get(QUEUE))

    assert row[1:5] == ["skill pdf-tables", "100", "malicious, spam", "0 minutes to 3 days"]


def test_the_newest_comes_first_or_the_most_reported(admin_client, skill):
    reported(skill, "spam", "spam")
    reported(PersonaFactory(slug="archivist"), "other")

    assert listed(admin_client) == ["persona archivist", "skill pdf-tables"]
    assert listed(admin_client, "?o=-2") == ["skill pdf-tables", "persona archivist"]
    # Reported again.
    reported(skill, "broken")
    assert listed(admin_client) == ["skill pdf-tables", "persona archivist"]


def test_what_is_resolved_leaves_the_queue(admin_client, skill):
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


def test_the_dashboard_counts_what_waits(admin_client, skill):
    assert "reported skills" not in admin_client.get("/admin/").content.decode().lower()

    reported(skill, "spam", "spam")

    [item] = admin_client.get("/admin/").context["attention"]
    assert (item["text"], str(item["number"]), item["url"]) == (
        "reported skills, personas and reviews",
        "1",
        QUEUE,
    )


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
    assert "<h1>How to read</h1>" in page
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


def test_recalling_from_the_queue_withdraws_and_resolves(admin_client, client, agent, skill):
    SkillInstallFactory(skill=skill, agent=agent)
    case = reported(skill, "malicious")

    take_action(admin_client, "recall", case, reason="It sends what it reads elsewhere.")

    skill.refresh_from_db()
    case.refresh_from_db()
    assert skill.is_recalled
    assert case.resolution == "Recalled: It sends what it reads elsewhere."
    [advisory] = client.get("/api/v1/agents/me").json()["advisories"]
    assert advisory["reason"] == "It sends what it reads elsewhere."
    snapshot = skill.history.first()
    assert snapshot.history_user.username == "clerk-0"
    assert snapshot.history_change_reason == case.resolution
    assert {
        (entry.content_type.model, entry.change_message) for entry in LogEntry.objects.all()
    } == {
        ("skill", case.resolution),
        ("case", case.resolution),
    }


def test_hiding_from_the_queue_hides_and_resolves(admin_client, anyone, agent):
    written = review(agent, PersonaFactory(slug="archivist"), 1)
    case = reported(written, "spam")

    take_action(admin_client, "hide", case, reason="Advertising.")

    written.refresh_from_db()
    case.refresh_from_db()
    assert written.state == "hidden"
    assert case.resolution == "Hidden: Advertising."
    assert anyone.get("/api/v1/personas/archivist").json()["ratings"]["count"] == 0
    assert written.history.first().history_change_reason == "Hidden: Advertising."


def test_the_author_of_a_review_is_suspended_from_the_queue(admin_client, client, agent):
    case = reported(review(agent, PersonaFactory(), 1), "spam")

    take_action(admin_client, "suspend", case, reason="Floods.")

    assert client.get("/api/v1/agents/me").status_code == 401
    case.refresh_from_db()
    assert case.open_reports == 1
    assert agent.history.first().history_change_reason == "Suspended: Floods."


def test_who_has_reported_is_suspended_from_the_list_of_reports(admin_client, skill):
    case = reported(skill, "spam", "spam", "malicious")
    honest = Report.objects.get(reason="malicious")

    page = admin_client.get(f"/admin/reports/report/?case__id__exact={case.pk}&reason=spam")
    wrong = list(page.context["cl"].result_list)
    take_action(admin_client, "suspend", *wrong, reason="One operator.")

    assert len(wrong) == 2
    assert Agent.objects.filter(suspended_at=None).get() == honest.agent
    assert Case.objects.get().open_reports == 3


@pytest.mark.parametrize("action", ["resolve", "recall"])
def test_each_is_asked_first(admin_client, skill, action):
    SkillInstallFactory(skill=skill)
    case = reported(skill, "spam")

    page = admin_client.post(QUEUE, {"action": action, "_selected_action": [case.pk]})

    assert page.status_code == 200
    fact = "<b>skill pdf-tables</b><span>1 open; held by 1 agent</span>"
    assert fact in page.content.decode()
    case.refresh_from_db()
    assert (case.open_reports, Skill.objects.get().status) == (1, "published")


def test_recalling_needs_a_reason(admin_client, skill):
    case = reported(skill, "spam")

    response = take_action(admin_client, "recall", case, reason=" ")

    assert "This field is required." in response.content.decode()
    assert Skill.objects.get().status == "published"


def test_a_page_offers_what_makes_sense(admin_client, agent, skill):
    def offered(case):
        page = admin_client.get(change_page(case)).content.decode()
        return set(re.findall(rf"/case/{case.pk}/do/(\w+)/", page))

    of_skill = reported(skill, "spam")
    of_review = reported(review(agent, PersonaFactory(), 1), "spam")

    assert offered(of_skill) == {"resolve", "recall"}
    assert offered(of_review) == {"resolve", "hide", "suspend"}
    take_action(admin_client, "recall", of_skill, reason="Leaks.")
    assert offered(of_skill) == set()


def test_a_long_reason_fits(admin_client, skill):
    case = reported(skill, "spam")

    admin_client.post(f"{QUEUE}{case.pk}/do/recall/", {"confirmed": "yes", "reason": "x" * 1000})

    case.refresh_from_db()
    assert case.resolution == f"Recalled: {'x' * 1000}"


def test_a_reason_must_not_hold_a_token(admin_client, agent, skill):
    case = reported(skill, "spam")

    response = take_action(admin_client, "recall", case, reason=f"See {agent.token.text}.")

    assert "Remove the token of an agent, and revoke it." in response.content.decode()
    assert Skill.objects.get().status == "published"


def test_what_is_recalled_keeps_its_reason(admin_client, skill):
    skill.withdraw("It leaks.")
    case = Case.objects.create(skill=skill, open_reports=0, last_reported_at=timezone.now())

    response = take_action(admin_client, "recall", case, reason="Another.")

    assert "None of these can be recalled" in response.content.decode()
    assert Skill.objects.get().withdrawal_reason == "It leaks."


@pytest.mark.parametrize("action", ["hide", "suspend"])
def test_what_is_for_reviews_leaves_entries_alone(admin_client, skill, action):
    case = reported(skill, "spam")

    take_action(admin_client, action, case, reason="Wrong.")

    case.refresh_from_db()
    assert case.open_reports == 1
    assert not Agent.objects.exclude(suspended_at=None).exists()


def test_editors_recall_and_moderators_hide_and_suspend(admin_client_of, agent, skill):
    of_skill = reported(skill, "spam")
    of_review = reported(review(agent, PersonaFactory(), 1), "spam")
    editor, moderator = admin_client_of("Editors"), admin_client_of("Moderators")

    for refused, case, action in (
        (editor, of_review, "hide"),
        (editor, of_review, "suspend"),
        (moderator, of_skill, "recall"),
    ):
        assert refused.get(f"{QUEUE}{case.pk}/do/{action}/").status_code == 403
    take_action(editor, "recall", of_skill, reason="Leaks.")
    take_action(moderator, "hide", of_review, reason="Spam.")
    assert not Case.objects.open().exists()


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


def test_who_may_see_cases_alone_reads_no_reports(skill):
    case = reported(skill, "spam")
    user = User.objects.create_user("viewer", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_case"))
    client = Client()
    client.force_login(user)

    page = client.get(change_page(case)).content.decode()

    assert "PDF Tables (published)" in page
    assert "Because it is spam." not in page


def test_an_entry_that_was_reported_cannot_be_deleted(admin_client, skill):
    reported(skill, "spam")

    admin_client.post(f"/admin/catalogue/skill/{skill.pk}/delete/", {"post": "yes"})

    assert Skill.objects.filter(pk=skill.pk).exists()


def test_the_queue_needs_few_queries_however_many_reports_there_are(admin_client, skill):
    case = reported(skill, "spam")
    pages = [QUEUE, f"{QUEUE}?o=-2", change_page(case), "/admin/reports/report/"]
    before = [queries(admin_client, page) for page in pages]

    agents = Agent.objects.bulk_create(Agent(handle=f"fresh-{n}") for n in range(1000))
    for target in SkillFactory.create_batch(60):
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
