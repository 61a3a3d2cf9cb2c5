"""The page of a submission, from which staff decide (contract 29.11)."""

import pytest

from catalogue.models import Skill
from submissions.models import Submission
from tests.admin.actions import told
from tests.submissions.conftest import (
    SKILL,
    URL,
    changed,
)
from tests.submissions.test_desk import submit


@pytest.mark.contract("29.18")
def test_the_page_shows_every_change_and_hides_nothing(desk, author, submitted):
    script = {"path": "scripts/run.py", "content": "print(1)\n"}
    submitted(SKILL | {"files": [script]})
    text = changed(SKILL, "Do it\u00ad well.\n\u2800\n<script>alert(1)</script>")
    changes = {"files": [script | {"content": "print(2)\n"}], "baseNumber": 1}
    author.post(URL, text | changes)

    page = desk.page(Submission.objects.pending().get()).content.decode()

    assert "This text has hidden characters." in page
    assert "[U+2800" in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert '<span class="del">' in page
    assert "print(<mark>2</mark>)" in page
    assert "<b>hidden-text</b>" in page
    assert "agents may run other files than before" in page


@pytest.mark.contract("29.18")
def test_a_text_cannot_imitate_the_buttons_of_the_desk(desk, author):
    fake = '<form id="publish"><button name="decision">Reject</button></form>\n[Publish](/admin/)'
    author.post(URL, changed(SKILL, fake) | {"note": fake})

    page = desk.page(Submission.objects.get()).content.decode()

    assert page.count('id="publish"') == 1
    assert page.count('name="decision"') == 2
    assert "&lt;button name=&quot;decision&quot;&gt;" in page
    assert ">Publish</a>" not in page


def test_the_note_of_the_author_is_text(desk, pending):
    assert "For &lt;b&gt;you&lt;/b&gt;." in desk.page(pending).content.decode()


@pytest.mark.contract("29.18")
def test_a_doubtful_file_needs_a_tick(desk, author):
    text = "---\nname: a-b\ndescription: A.\nhooks: 1\nhooks: 2\n---\n\nDo it.\n"
    author.post(URL, {"kind": "skill", "content": text})
    pending = Submission.objects.get()
    page = desk.page(pending)
    assert "Publish it anyway" in page.content.decode()
    assert "Do it." in page.content.decode()
    assert 'value="publish">' in page.content.decode()
    assert "Nothing was published: line 5" in told(desk.decide(page, "publish"))[0]

    desk.decide(desk.page(pending), "publish", accepted="yes")

    assert Skill.objects.get().slug == "a-b"


def test_an_outdated_one_says_so(desk, author, submitted):
    submitted()
    author.post(URL, changed(SKILL))

    page = desk.page(Submission.objects.pending().get()).content.decode()

    assert "made from version none, and the newest is 1" in page


@pytest.mark.contract("29.18")
def test_earlier_submissions_of_the_entry_are_listed(desk, author, author_of, agent):
    submit(author, "a-tables").reject("Too short.")
    second = submit(author, "a-tables")
    submit(author, "b-tables")

    [panel] = desk.page(second).context["panels"]

    assert len(panel["rows"]) == 1
    text, reason, _ = panel["rows"][0]
    assert (text.partition(", ")[2], reason) == ("@caller: rejected", "Too short.")
