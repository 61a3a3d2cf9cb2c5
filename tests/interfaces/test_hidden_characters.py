"""Texts with hidden characters as people read them, on the website and in the admin"""

import re

import pytest

from catalogue.models import FileContent
from importing.folders import as_stored
from tests.admin.rows import change_page
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim, review
from tests.operators.conftest import OperatorBrowser

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


@pytest.fixture
def labeled():
    """A skill with a hidden character in each of its fields, and in a name of a file."""
    labels = {name: f"{name}\u200b" for name in ("author", "category", "license", "version")}
    lists = {"tags": ["tag\u200b"], "runtimes": ["run\u200b"]}
    return SkillFactory(slug="csv", files={"docs/a\u200b.md": b"x"}, **labels, **lists)


@pytest.mark.parametrize(
    ("path", "marks"),
    [
        ("/", ["category"]),
        ("/feed.atom", ["author", "category"]),
        ("/skills", ["author", "category", "license", "run"]),
        ("/skills?author=author%E2%80%8B", ["Skills by author", "author: author"]),
        ("/skills/csv", ["author", "category", "license", "version", "tag", "run"]),
        ("/skills/csv/files", ["a"]),
        ("/skills/csv/versions", ["version"]),
        ("/skills/csv/versions/1", ["version", "a"]),
        ("/skills/csv/files/docs/a%E2%80%8B.md", ["docs/a"]),
    ],
)
def test_labels_and_names_of_files(anyone, labeled, path, marks):
    page = anyone.get(path)

    text = page.content.decode()
    # The value of a form's field is sent, not shown.
    assert not set(re.sub('value="[^"]*"', "", text)) & set(RAW)
    for mark in marks:
        assert f"{mark}[U+200B]" in text


def test_names_of_agents_and_operators(anyone):
    agent = AgentFactory(handle="scout", name="Na\u200bme", runtime="run\u200b")
    key = claim(agent, name="Ada\u200b")
    review(agent, PersonaFactory(title="Ar\u200bchivist"), 4, "Tidy\u200b.")
    browser = OperatorBrowser(key)

    for page, marks in [
        (anyone.get("/agents/scout"), ["Na", "Tidy", "Ar"]),
        (anyone.get(f"/claim/{agent.claim.secret}"), ["Na", "Ada"]),
        (browser.get("/operator"), ["Na"]),
        (browser.get("/operator/agents/scout"), ["Na", "Ada", "run", "Tidy"]),
    ]:
        text = content_of(page)
        for mark in marks:
            assert f"{mark}[U+200B]" in text


def test_a_comment(anyone):
    persona = PersonaFactory(slug="archivist")
    review(AgentFactory(), persona, 4, "Tidy\u202e.")

    assert "Tidy[U+202E]." in content_of(anyone.get("/personas/archivist/reviews"))


def test_a_text_without_them_has_no_sentence(anyone):
    SkillFactory(slug="pdf", content="\u05d0\u200f 👩\u200d👧 \u0645\u06cc\u200c\u062e")

    assert SENTENCE not in anyone.get("/skills/pdf").content.decode()
