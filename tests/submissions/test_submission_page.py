"""The page of a submission, from which staff decide (contract 29.11)."""

import pytest
from django.utils import timezone

from catalogue.models import Skill
from submissions.models import Maintainer, Submission
from tests.admin.actions import told
from tests.factories import AgentFactory, SkillFactory
from tests.submissions.conftest import (
    SKILL,
    URL,
    changed,
)
from tests.submissions.test_desk import rows_of, slugs_of, submit


def facts_of(page):
    """The values and their addresses by label."""
    return {label: (value, address) for label, value, address, _ in page.context["facts"]}


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
    assert "scripts change</span>" in page
    assert "<b>scripts/run.py</b> changed" in page


@pytest.mark.contract("29.18")
def test_a_text_cannot_imitate_the_buttons_of_the_desk(desk, author):
    fake = '<form id="decide"><button name="decision">Reject</button></form>\n[Publish](/admin/)'
    author.post(URL, changed(SKILL, fake) | {"note": fake})

    page = desk.page(Submission.objects.get()).content.decode()

    assert page.count('id="decide"') == 1
    assert page.count('name="decision"') == 2
    assert "&lt;button name=&quot;decision&quot;&gt;" in page
    assert ">Publish</a>" not in page


@pytest.mark.contract("29.18")
def test_the_page_and_the_list_say_which_files_go(desk, author, submitted):
    paths = ("scripts/run.py", "a.md", "b.md")
    submitted(SKILL | {"files": [{"path": path, "content": "x"} for path in paths]})
    author.post(URL, changed(SKILL) | {"baseNumber": 1})
    pending = Submission.objects.pending().get()

    page = desk.page(pending).content.decode()

    sentence = "removes 3 files, 1 of them a script"
    assert f'<span class="state state-recalled">{sentence}</span>' in page
    assert f"{sentence.capitalize()}.</p>" in page
    assert "<b>scripts/run.py</b> removed" in page
    assert "No findings." not in page
    [row] = rows_of(desk.list("?finding=scripts"))
    assert row["codes"] == f"scripts change {sentence}"
    desk.decide(desk.page(pending), "publish")
    assert rows_of(desk.list("?state=published"))[-1]["codes"] == "scripts change"


@pytest.mark.contract("29.18")
def test_the_page_says_who_proposes_it_and_who_maintains_the_entry(desk, agent, author, submitted):
    skill = submitted()
    Maintainer.objects.add(skill, AgentFactory(handle="other"))
    author.post(URL, changed(SKILL) | {"baseNumber": 1})

    page = desk.page(Submission.objects.pending().get())

    assert facts_of(page) == {
        "Author": ("@caller", f"/admin/agents/agent/{agent.pk}/change/"),
        "Operator": ("none", ""),
        "Maintained by": ("@caller, @other", ""),
        "Submitted": ("0\xa0minutes ago", ""),
    }
    text = page.content.decode()
    assert "<dd>for 0\xa0minutes, 1 published</dd>" in text
    assert "<dd>the author is one of them</dd>" in text
    heading = f'<a href="/admin/catalogue/skill/{skill.pk}/change/">pdf-tables</a>: a change of '
    assert f"{heading}version 1, the current one" in text


@pytest.mark.contract("29.18")
def test_a_look_alike_links_the_entry_that_it_looks_like(desk, author):
    skill = SkillFactory(slug="a-table")
    submission = submit(author, "a-tables")

    page = desk.page(submission)

    address = f"/admin/catalogue/skill/{skill.pk}/change/"
    assert facts_of(page)["Looks like"] == ("a-table", address)
    assert slugs_of(desk.list("?finding=look-alike")) == ["a-tables"]


@pytest.mark.contract("29.18")
def test_the_page_says_that_publishing_would_undo_a_later_edit(desk, author, submitted):
    skill = submitted()
    author.post(URL, changed(SKILL) | {"baseNumber": 1})
    skill.content += "\nBy staff.\n"
    skill.save()

    page = desk.page(Submission.objects.pending().get()).content.decode()

    sentence = "The current one is 2: publishing this undoes the changes since"
    assert f"a change of version 1. {sentence}" in page


@pytest.mark.contract("29.18")
def test_a_decided_page_still_shows_what_it_was_about(desk, author, submitted):
    skill = submitted()
    author.post(URL, changed(SKILL) | {"baseNumber": 1})
    published = Submission.objects.pending().get()
    desk.decide(desk.page(published), "publish")
    author.post(URL, changed(SKILL, "Do it slowly.") | {"baseNumber": 2})
    rejected = Submission.objects.pending().get()
    desk.decide(desk.page(rejected), "reject", reason="Be quick.")

    address = f"/admin/catalogue/skill/{skill.pk}/versions/compare/?from=1&amp;to=2"
    assert address in desk.page(published).content.decode()
    text = desk.page(rejected).content.decode()
    assert "What it would change now" in text
    assert "Do it <mark>slowly</mark>." in text
    assert 'id="decide"' not in text
    [row] = rows_of(desk.list("?state=rejected"))
    assert row["age"] == f"rejected | by clerk-0, {timezone.now():%d %b %Y}: Be quick."


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
    assert "formnovalidate>Publish" in page.content.decode()
    assert "Nothing was published: line 5" in told(desk.decide(page, "publish"))[0]

    desk.decide(desk.page(pending), "publish", ticked="yes")

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
    today = timezone.now()
    text, reason, _ = panel["rows"][0]
    assert (text, reason) == (f"@caller: rejected, on {today:%d %b %Y}", "Too short.")
