"""Submissions of sources on the desk (contract 30.15)."""

import pytest

from catalogue.frontmatter import Refused
from catalogue.models import Skill
from submissions.models import Submission
from tests.admin.actions import told
from tests.sources.syncing.conftest import published
from tests.submissions.test_desk import rows_of

pytestmark = pytest.mark.contract("30.15")


@pytest.fixture(autouse=True)
def hosts(settings):
    """Sources have a desk even where agents may not submit."""
    settings.SUBMISSIONS, settings.SOURCE_HOSTS = "off", ["git.example.com"]


def test_the_desk_shows_a_source_as_the_author(desk, proposing):
    proposing.skill("pdf", run_py="print()")
    proposing.sync()

    row = rows_of(desk.list())[0]
    page = desk.page(Submission.objects.get()).content.decode()

    assert (row["author"], row["operator"]) == ("git:team | a source", "")
    address = f"/admin/sources/source/{proposing.source.pk}/change/"
    assert f'<dd><a href="{address}">git:team</a></dd><dd>a source</dd>' in page
    assert f"<dd>pdf/SKILL.md</dd><dd>at {1:040x}</dd>" in page


def test_staff_publish_it(desk, proposing):
    proposing.skill("pdf")
    proposing.sync()
    page = desk.page(Submission.objects.get())

    after = desk.decide(page, "publish")

    assert "pdf, submitted by git:team, was published by" in told(after)[0]
    assert published() == {"pdf": "git:team:pdf/SKILL.md"}
    versions = desk.client.get(f"/admin/catalogue/skill/{Skill.objects.get().pk}/versions/")
    assert f"submitted by git:team at {1:040x}, published by" in versions.content.decode()


def test_staff_withdraw_an_entry_that_is_gone(desk, proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.remove("pdf")
    proposing.sync()
    submission = Submission.objects.pending().get()
    assert rows_of(desk.list())[0]["change"] == "withdrawal"
    page = desk.page(submission)
    assert "a withdrawal, because the repository no longer has it" in page.content.decode()
    assert "Withdraw the skill" in page.content.decode()

    after = desk.decide(page, "publish")

    assert "pdf, submitted by git:team, was approved by" in told(after)[0]
    assert Skill.objects.get().status == "withdrawn"
    assert "Approved the submission of git:team." in str(
        Skill.objects.get().history.first().history_change_reason
    )


def test_a_withdrawal_is_bound_to_the_text_that_its_page_showed(desk, proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.remove("pdf")
    proposing.sync()
    page = desk.page(Submission.objects.pending().get())
    skill = Skill.objects.get()
    skill.content += "\nMore.\n"
    skill.save()

    after = desk.decide(page, "publish")

    assert told(after)[0].startswith("Nothing was published: This has changed")
    assert Skill.objects.get().status == "published"


def test_the_page_of_an_entry_says_that_nobody_proposes_changes(desk, repository, settings):
    settings.SUBMISSIONS = "open"
    repository.skill("pdf")
    repository.sync()

    page = desk.client.get(f"/admin/catalogue/skill/{Skill.objects.get().pk}/change/")

    assert "It comes from a repository: nobody can propose changes here." in page.content.decode()


def test_a_rejected_withdrawal_changes_nothing(desk, proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.remove("pdf")
    proposing.sync()
    submission = Submission.objects.pending().get()

    desk.decide(desk.page(submission), "reject", reason="We keep it.")

    page = desk.page(submission).content.decode()
    assert "We keep it." in page
    assert "What it would change now" not in page
    assert Skill.objects.get().status == "published"
    assert proposing.sync().counts == {"findings": 0}


@pytest.mark.contract("30.4")
def test_a_withdrawal_leaves_an_entry_alone_that_is_not_the_sources_by_now(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.remove("pdf")
    proposing.sync()
    Skill.objects.update(source="submission:@ada", former_source="git:team:pdf/SKILL.md")

    with pytest.raises(Refused, match="The slug pdf was taken"):
        approve()

    assert Skill.objects.get().status == "published"
