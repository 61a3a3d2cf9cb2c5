"""Nothing is published if the submission or its entry moved since its page was opened (29.11)."""

import pytest

from catalogue.frontmatter import Refused
from catalogue.models import Persona, Skill
from submissions.models import Submission
from tests.admin.actions import told
from tests.factories import SkillFactory
from tests.submissions.conftest import PERSONA, PROMPT, SKILL, TEXT, URL, changed

MOVED = "Nothing was published: This has changed since you opened the page. Read it again."


@pytest.mark.contract("29.11")
def test_what_moved_since_the_page_was_opened_is_shown_first(desk, author, submitted):
    skill = submitted()
    author.post(URL, changed(SKILL) | {"baseNumber": 1})
    pending = Submission.objects.pending().get()
    page = desk.page(pending)
    skill.content += "\nBy staff.\n"
    skill.save()

    response = desk.decide(page, "publish")

    assert told(response) == [MOVED]
    assert "By staff." in response.content.decode()
    assert Skill.objects.get().content == skill.content
    # A change of another field counts, too.
    page = desk.page(pending)
    skill.refresh_from_db()
    skill.category = "data"
    skill.save()
    assert told(desk.decide(page, "publish")) == [MOVED]
    desk.decide(desk.page(pending), "publish")
    assert Skill.objects.get().content == changed(SKILL)["content"]


@pytest.mark.contract("29.11")
def test_findings_that_came_since_the_page_was_opened_are_shown_first(desk, author):
    skill = SkillFactory(slug="tables")
    author.post(URL, PERSONA | {"content": PROMPT.replace("license", "skills: tables\nlicense")})
    pending = Submission.objects.get()
    page = desk.page(pending)
    skill.withdraw()

    response = desk.decide(page, "publish")

    assert told(response) == [MOVED]
    assert "no published skill is called tables" in response.content.decode()
    assert not Persona.objects.exists()
    desk.decide(desk.page(pending), "publish")
    assert Persona.objects.get().status == "published"


@pytest.mark.contract("29.11")
@pytest.mark.parametrize("broken", [{"bytes_digest": "x"}, {"number": "9"}, {"number": "x"}])
def test_a_form_that_shows_something_else_publishes_nothing(desk, pending, broken):
    assert told(desk.decide(desk.page(pending), "publish", **broken)) == [MOVED]
    assert told(desk.decide(desk.page(pending), "publish", opened_at="soon")) == [MOVED]
    assert told(desk.decide(desk.page(pending), "")) == [MOVED]
    assert Submission.objects.get().state == "pending"


@pytest.mark.contract("29.11")
def test_one_that_was_withdrawn_or_replaced_meanwhile_is_not_published(desk, pending, author):
    page = desk.page(pending)
    author.post(URL, changed(SKILL))
    assert told(desk.decide(page, "publish")) == [
        "pdf-tables, submitted by @caller, was replaced by a newer one of its author."
    ]
    newer = Submission.objects.pending().get()
    page = desk.page(newer)
    newer.withdraw()

    assert told(desk.decide(page, "publish")) == [
        "pdf-tables, submitted by @caller, was withdrawn by its author."
    ]
    assert not Skill.objects.exists()


@pytest.mark.contract("29.11")
def test_nobody_ends_a_recall_that_came_since_the_page_was_opened(desk, author):
    about = {"title": "PDF Tables", "category": "", "license": "MIT"}
    skill = SkillFactory(slug="pdf-tables", content=TEXT, description="Reads tables.", **about)
    skill.withdraw()
    author.post(URL, SKILL)  # the very text
    page = desk.page(Submission.objects.get())
    skill.recall("It leaks.")

    response = desk.decide(page, "publish_and_end_recall")

    assert told(response) == [MOVED]
    assert Skill.objects.get().state == "recalled"
    assert Submission.objects.get().state == "pending"


@pytest.mark.contract("30.4", "30.5")
def test_an_entry_that_a_source_made_since_stays_its_own(pending, approve):
    SkillFactory(slug="pdf-tables", source="git:team:pdf-tables/SKILL.md", content=TEXT)

    with pytest.raises(Refused, match="The slug pdf-tables was taken since"):
        approve()

    assert Skill.objects.get().source == "git:team:pdf-tables/SKILL.md"
