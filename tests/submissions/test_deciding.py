"""The page of a submission, and the decision (contract 29.11, 29.18)."""

import io
import re
import zipfile

import pytest
from django.contrib.admin.models import LogEntry

from catalogue.models import Persona, Skill
from submissions.models import Submission, SubmittedVersion
from tests.admin.actions import told
from tests.admin.conftest import browser_of_superuser
from tests.browser import untouched_form
from tests.factories import SkillFactory
from tests.submissions.conftest import (
    DESK,
    PERSONA,
    SKILL,
    TEXT,
    URL,
    Desk,
    changed,
)
from tests.submissions.test_desk import submit


def logged():
    return {
        (entry.content_type.model, entry.action_flag, entry.change_message)
        for entry in LogEntry.objects.all()
    }


@pytest.mark.contract("29.11")
def test_publishing_makes_a_version_and_two_log_entries(desk, pending):
    response = desk.decide(desk.page(pending), "publish")

    skill, version = Skill.objects.get(), SubmittedVersion.objects.get()
    assert (skill.content, skill.number) == (TEXT, 1)
    assert (version.submitted_by, version.published_by) == ("@caller", "clerk-0")
    message = "Published the submission of @caller."
    assert logged() == {("skill", 1, message), ("submission", 2, message)}
    assert skill.history.first().history_user.username == "clerk-0"
    assert "pdf-tables, submitted by @caller, was published by clerk-0 at" in told(response)[0]
    link = f'href="/admin/catalogue/skill/{skill.pk}/change/">the skill</a> or'
    assert link in response.content.decode()
    assert response.request["PATH_INFO"] == DESK


@pytest.mark.contract("29.11")
def test_a_change_is_logged_as_one(desk, author, submitted):
    submitted()
    author.post(URL, changed(SKILL) | {"baseNumber": 1})

    desk.decide(desk.page(Submission.objects.pending().get()), "publish")

    message = "Published the submission of @caller."
    assert logged() == {("skill", 2, message), ("submission", 2, message)}
    assert Skill.objects.get().number == 2


@pytest.mark.contract("29.11")
def test_a_persona_is_published(desk, author):
    author.post(URL, PERSONA)

    desk.decide(desk.page(Submission.objects.get()), "publish")

    assert Persona.objects.get().status == "published"


@pytest.mark.contract("29.18")
def test_rejecting_needs_a_reason_which_the_author_reads(desk, pending, author):
    refused = desk.decide(desk.page(pending), "reject", reason=" ")
    assert "Write a reason." in refused.content.decode()
    long = desk.decide(desk.page(pending), "reject", reason="x" * 1001)
    assert "at most 1000 characters" in long.content.decode()
    assert "x" * 1001 in long.content.decode()
    assert Submission.objects.get().state == "pending"

    response = desk.decide(desk.page(pending), "reject", reason="Name its\r\nlicense.")

    row = author.get(f"{URL}/{pending.public_id}").json()
    assert (row["state"], row["reason"]) == ("rejected", "Name its\nlicense.")
    assert logged() == {("submission", 2, "Rejected: Name its\nlicense.")}
    [message] = told(response)
    assert "was rejected by clerk-0" in message
    assert message.endswith(". Open the submission.")
    assert not Skill.objects.exists()


@pytest.mark.contract("29.18")
def test_a_written_reason_is_neither_lost_nor_published_over(desk, pending):
    page = desk.decide(desk.page(pending), "publish", reason="Name its license.")

    text = page.content.decode()
    assert "Nothing was published: you have written a reason." in text
    assert "<details open>" in text
    assert untouched_form(page, "decide")["reason"] == "Name its license."
    assert Submission.objects.get().state == "pending"
    desk.decide(page, "publish", reason=" ")
    assert Submission.objects.get().state == "published"


@pytest.mark.contract("29.11")
@pytest.mark.parametrize("decision", ["publish", "reject"])
def test_the_second_of_two_people_reads_who_decided(desk, pending, decision):
    other = Desk(browser_of_superuser("grace"))
    page = desk.page(pending)
    other.decide(other.page(pending), "publish")

    response = desk.decide(page, decision, reason="No." if decision == "reject" else "")

    sentence = "pdf-tables, submitted by @caller, was published by grace at "
    assert told(response)[0].startswith(sentence)
    assert f"<b>{sentence}" in response.content.decode()
    assert Skill.objects.get().number == 1
    assert Submission.objects.get().decided_by.username == "grace"


@pytest.mark.contract("29.11")
def test_a_withdrawn_entry_comes_back_only_if_somebody_says_so(desk, author, submitted):
    skill = submitted()
    skill.recall("It leaks.")
    author.post(URL, changed(SKILL) | {"baseNumber": 1})
    pending = Submission.objects.pending().get()
    sentence = "The skill is withdrawn. Publish and end the recall, or reject this."

    page = desk.page(pending)
    assert sentence in page.content.decode()
    assert re.search(r"formnovalidate disabled>Publish", page.content.decode())
    assert told(desk.decide(page, "publish")) == [f"Nothing was published: {sentence}"]
    assert Skill.objects.get().state == "recalled"

    desk.decide(desk.page(pending), "publish_and_end_recall")

    skill.refresh_from_db()
    assert (skill.state, skill.number) == ("published", 2)


@pytest.mark.contract("29.11")
@pytest.mark.parametrize("status", ["draft", "published"])
def test_a_draft_or_a_taken_slug_leaves_only_the_rejection(desk, pending, status):
    SkillFactory(slug="pdf-tables", status=status)

    page = desk.page(pending)

    text = page.content.decode()
    assert page.context["obstacle"] in text
    assert re.search(r"formnovalidate disabled>Publish", text)
    assert "end the recall</button>" not in text
    desk.decide(page, "publish")
    assert Submission.objects.get().state == "pending"


@pytest.mark.contract("29.11")
def test_a_recalled_text_does_not_come_back_with_the_entry(desk, author, submitted, approve):
    skill = submitted()
    author.post(URL, changed(SKILL) | {"baseNumber": 1})
    approve()
    author.post(URL, SKILL | {"baseNumber": 2})
    pending = Submission.objects.pending().get()
    page = desk.page(pending)
    skill.versions.get(number=1).recall("It leaks.")

    [message] = told(desk.decide(page, "publish"))
    skill.recall("All of it leaks.")
    [with_the_recall] = told(desk.decide(desk.page(pending), "publish_and_end_recall"))

    assert message == with_the_recall
    assert message == (
        "Nothing was published: This text was recalled. Change it, or lift the recall of its "
        "version."
    )
    assert Submission.objects.get(pk=pending.pk).state == "pending"
    assert Skill.objects.get().state == "recalled"


@pytest.mark.contract("29.18")
def test_a_decision_leads_to_the_next_one_of_the_list(desk, author):
    first, second, third = (submit(author, slug) for slug in ("a", "b", "c"))
    newest_first = "?_changelist_filters=o%3D-6"

    page = desk.page(second, newest_first)
    assert page.context["beside"][:2] == (2, 3)
    response = desk.decide(page, "reject", reason="No.")
    assert response.context["original"] == first
    assert "?o=-6" in response.content.decode()

    page = desk.page(first)
    assert (page.context["beside"].place, page.context["beside"].previous) == (1, "")
    assert desk.decide(page, "publish").context["original"] == third
    assert desk.decide(desk.page(third), "publish").request["PATH_INFO"] == DESK


def test_filters_that_no_list_has_do_not_stop_a_decision(desk, author):
    first = submit(author, "a")
    submit(author, "b")

    page = desk.page(first, "?_changelist_filters=created_at__year%3D99999999999")

    assert desk.decide(page, "publish").context["original"].slug == "b"


def test_the_files_are_a_download(desk, author):
    author.post(URL, SKILL)
    assert desk.client.get(f"{DESK}{Submission.objects.get().pk}/archive/").status_code == 404
    author.post(
        URL, SKILL | {"files": [{"path": "a.bin", "content": "AA==", "encoding": "base64"}]}
    )
    pending = Submission.objects.pending().get()

    response = desk.client.get(f"{DESK}{pending.pk}/archive/")

    assert response["Content-Disposition"] == 'attachment; filename="pdf-tables.zip"'
    with zipfile.ZipFile(io.BytesIO(b"".join(response))) as archive:
        assert (archive.read("SKILL.md"), archive.read("a.bin")) == (TEXT.encode(), b"\0")


def test_a_page_takes_as_many_queries_for_many_rows(
    desk, author, submitted, django_assert_max_num_queries
):
    submitted()
    for number in range(6):
        submit(author, f"tables-{number}").reject("No.")
        submit(author, f"tables-{number}")
    files = [{"path": f"{name}.md", "content": name} for name in "abcdef"]
    author.post(URL, changed(SKILL) | {"baseNumber": 1, "files": files})

    # Besides the 16 of any page, the preview is an import that is rolled back.
    with django_assert_max_num_queries(16 + 21):
        desk.page(Submission.objects.pending().get(slug="pdf-tables"))


def test_only_a_form_decides(desk, pending):
    opened = desk.client.get(f"{DESK}{pending.pk}/decide/")
    assert (opened.status_code, opened.url) == (302, f"{DESK}{pending.pk}/change/?")
    assert Submission.objects.get().state == "pending"
    assert desk.client.post(f"{DESK}9999/decide/").status_code == 404
