"""Texts with hidden characters as people read them, on the website and in the admin"""

import pytest

from catalogue.models import FileContent
from importing.folders import as_stored
from tests.admin.rows import change_page
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

pytestmark = [pytest.mark.django_db, pytest.mark.contract("28.8")]
SENTENCE = "This text has hidden characters."
# Hidden, refused (as stored by an earlier release), and written as an entity.
BODY = "Do\u200b it.\n\n```\nsh\u2063\n```\n\n[a\u202e](x) &#x200b;"
MARKS = ["Do[U+200B] it.", "sh[U+2063]", "a[U+202E]"]
RAW = "\u200b\u2063\u202e"


def content_of(page):
    text = page.content.decode()
    assert not set(text) & set(RAW)
    return text


def assert_marked(page):
    text = content_of(page)
    assert SENTENCE in text
    for mark in MARKS:
        assert mark in text


@pytest.fixture
def skill():
    return SkillFactory(slug="pdf", title="P\u200bDF", description="Re\u2063ads.", content=BODY)


def test_the_page_of_an_entry(anyone, skill):
    page = anyone.get("/skills/pdf")

    assert_marked(page)
    text = page.content.decode()
    assert "<h1>P[U+200B]DF</h1>" in text
    assert '<p class="lead">Re[U+2063]ads.</p>' in text
    assert text.count("[U+200B]") > 2


def test_the_page_of_a_version(anyone, admin_client, skill):
    assert_marked(anyone.get("/skills/pdf/versions/1"))
    staff = change_page(skill).removesuffix("change/")
    text = content_of(admin_client.get(f"{staff}versions/1/"))
    assert SENTENCE in text
    assert "Do[U+200B] it." in text


def test_lists_and_comparisons(anyone, skill):
    skill.content = BODY.replace("it", "that")
    skill.save()

    assert "P[U+200B]DF" in content_of(anyone.get("/skills"))
    text = content_of(anyone.get("/skills/pdf/versions/compare", {"from": 1, "to": 2}))
    assert text.count(SENTENCE) == 1
    assert "[U+200B]" in text


def test_a_file(anyone, admin_client, skill):
    file = as_stored("a\u200b.txt", [b"x\xe2\x80\x8by"], is_executable=False)
    FileContent.objects.store([(file, [b"x\xe2\x80\x8by"])])
    skill.files = [file]
    skill.save()

    for page in (
        anyone.get("/skills/pdf/files/a%E2%80%8B.txt"),
        admin_client.get(f"{change_page(skill).removesuffix('change/')}files/a%E2%80%8B.txt"),
    ):
        text = page.content.decode()
        assert SENTENCE in text
        assert "x[U+200B]y" in text


def test_a_comment(anyone):
    persona = PersonaFactory(slug="archivist")
    review(AgentFactory(), persona, 4, "Tidy\u202e.")

    assert "Tidy[U+202E]." in content_of(anyone.get("/personas/archivist"))


def test_a_text_without_them_has_no_sentence(anyone):
    SkillFactory(slug="pdf", content="\u05d0\u200f 👩\u200d👧 \u0645\u06cc\u200c\u062e")

    assert SENTENCE not in anyone.get("/skills/pdf").content.decode()
