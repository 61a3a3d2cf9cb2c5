"""What staff do about a case: resolve, recall, hide, suspend"""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.utils import timezone

from agents.models import Agent
from catalogue.models import Skill
from reports.models import Case, Report
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


@pytest.mark.contract("18.4")
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


def test_a_recall_from_the_queue_names_a_successor_of_one_kind(admin_client, anyone, skill):
    persona = PersonaFactory(slug="archivist")
    cases = [reported(entry, "malicious") for entry in (skill, persona)]
    fields = {"reason": "It leaks.", "successor": SkillFactory(slug="pdf-forms").slug}

    refused = take_action(admin_client, "recall", *cases, **fields).content.decode()
    assert "A skill cannot replace a persona: select only one kind." in refused
    take_action(admin_client, "recall", cases[0], **fields)

    assert 'href="/skills/pdf-forms"' in anyone.get("/skills/pdf-tables").content.decode()


@pytest.mark.contract("18.4")
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
    assert case.history.first().history_change_reason == f"Suspended {agent.handle}."


def test_reporters_can_be_suspended_from_the_list_of_reports(admin_client, skill):
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
        notes = {"add_note", "assign_to_me", "assign"}
        return set(re.findall(rf"/case/{case.pk}/do/(\w+)/", page)) - notes

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

    assert "Remove the agent token from this text, and revoke it." in response.content.decode()
    assert Skill.objects.get().status == "published"


def test_recalling_from_a_case_keeps_an_earlier_reason(admin_client, skill):
    skill.recall("It leaks.")
    case = Case.objects.create(skill=skill, open_reports=0, last_reported_at=timezone.now())

    response = take_action(admin_client, "recall", case, reason="Another.")

    assert "Nothing to recall: select skills or personas" in response.content.decode()
    assert Skill.objects.get().withdrawal_reason == "It leaks."


@pytest.mark.parametrize("action", ["hide", "suspend"])
def test_actions_on_reviews_leave_cases_of_entries_alone(admin_client, skill, action):
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


def test_an_entry_that_was_reported_cannot_be_deleted(admin_client, skill):
    reported(skill, "spam")

    admin_client.post(f"/admin/catalogue/skill/{skill.pk}/delete/", {"post": "yes"})

    assert Skill.objects.filter(pk=skill.pk).exists()
