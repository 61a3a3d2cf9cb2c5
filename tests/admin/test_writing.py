"""Writing skills and personas: what a refused form says, what follows the text, the preview"""

import json
from html import unescape

import pytest

from catalogue.models import Persona, Skill
from tests.browser import untouched_form
from tests.factories import PersonaFactory, SkillFactory

ADD = "/admin/catalogue/skill/add/"
PREVIEW = "/admin/catalogue/skill/preview/"
SKILL_MD = """---
name: pdf-tables
description: Reads tables.
license: MIT
metadata:
  tags: [pdf, tables]
  category: data
---

# Tables
"""


def add(desk, content=SKILL_MD, **fields):
    form = untouched_form(desk.get(ADD))
    new = {"title": "PDF Tables", "slug": "pdf-tables", "content": content}
    return desk.post(ADD, form | new | fields)


def edit(desk, skill, **fields):
    url = f"/admin/catalogue/skill/{skill.pk}/change/"
    answer = desk.post(url, untouched_form(desk.get(url)) | fields)
    skill.refresh_from_db()
    return answer


def said(answer, field="content"):
    assert answer.status_code == 200
    return answer.context["adminform"].form.errors[field]


def test_a_pasted_skill_fills_the_fields_that_were_left_empty(desk):
    assert add(desk, category="documents").status_code == 302

    skill = Skill.objects.get()
    assert (skill.description, skill.license, skill.tags) == (
        "Reads tables.",
        "MIT",
        ["pdf", "tables"],
    )
    assert (skill.title, skill.category) == ("PDF Tables", "documents")


def test_an_edited_frontmatter_moves_the_fields_that_it_changed_and_no_others(desk):
    skill = SkillFactory(slug="pdf-tables", content=SKILL_MD, title="Chosen", description="Chosen.")

    edit(desk, skill, content=SKILL_MD.replace(": data", ": finance") + "More.\n")

    assert (skill.category, skill.title, skill.description) == ("finance", "Chosen", "Chosen.")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Do it.", "Begin with frontmatter: a line of ---"),
        ("---\nname: pdf-tables\n", "Close the frontmatter with a line of ---"),
        ("---\n---\nDo it.", "Mend the frontmatter: the frontmatter holds no"),
        (SKILL_MD.replace("name: pdf-tables\n", ""), "Add the line name: pdf-tables"),
        (
            SKILL_MD.replace("name: pdf-tables", "name: csv-tables"),
            "Change the name in the frontmatter from csv-tables to pdf-tables",
        ),
        (SKILL_MD.replace("description: Reads tables.\n", ""), "Add a line description:"),
        (SKILL_MD.replace("Reads", "Reads" * 300), "Shorten the description in the frontmatter"),
        (SKILL_MD.replace("Reads tables.", "Reads: tables: all"), "it is no YAML"),
        (SKILL_MD.replace("\n# Tables\n", ""), "Write the instructions below the frontmatter."),
        (SKILL_MD + "x" * 1024 * 1024, "Shorten it to 1024 KiB."),
    ],
)
def test_what_is_no_skill_is_refused_with_what_to_change(desk, content, text):
    assert text in " ".join(said(add(desk, content)))
    assert not Skill.objects.exists()


def test_a_taken_slug_comes_with_a_free_one(desk):
    SkillFactory(slug="pdf-tables")
    SkillFactory(slug="pdf-tables-2")

    assert said(add(desk), "slug") == ["pdf-tables is taken; pdf-tables-3 is free."]


def test_an_old_text_that_is_no_skill_does_not_stand_in_the_way(desk):
    skill = SkillFactory(content="Do it.")

    assert edit(desk, skill, title="New").status_code == 302
    assert (skill.title, skill.content) == ("New", "Do it.")


@pytest.mark.parametrize("content", ["  \n", "---\nname: archivist\n---\nYou are.\n"])
def test_a_prompt_is_a_text_without_frontmatter(desk, content):
    url = "/admin/catalogue/persona/add/"
    new = {"title": "A", "slug": "a", "content": content, "price_cents": 0}

    answer = desk.post(url, untouched_form(desk.get(url)) | new)

    assert said(answer)
    assert not Persona.objects.exists()


@pytest.mark.parametrize(
    "content",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](https://elsewhere.example/pixel.png)",
        "<style>*{display:none}</style>",
        "<iframe src=https://elsewhere.example></iframe>",
        "[x](data:text/html,<script>alert(1)</script>)",
    ],
)
def test_nothing_in_a_preview_runs_or_loads(desk, content):
    shown = desk.post(PREVIEW, {"content": content}).content.decode()

    for tag in ("<script", "<img", "<style", "<iframe", 'href="javascript', 'href="data'):
        assert tag not in shown


def test_a_preview_is_the_markdown_without_its_frontmatter(desk):
    content = SKILL_MD.replace("\n", "\r\n") + "\r\n| a | b |\r\n|---|---|\r\n| 1 | **2** |\r\n"

    shown = desk.post(PREVIEW, {"content": content}).content.decode()

    assert shown.startswith("<h1>Tables</h1>")
    assert "<td><strong>2</strong></td>" in shown
    assert "description" not in shown


@pytest.mark.parametrize(("make", "kind"), [(SkillFactory, "skill"), (PersonaFactory, "persona")])
def test_an_entry_is_shown_as_an_agent_sees_it(desk, anyone, make, kind):
    entry = make(slug="pdf-tables", content="<b>Bold</b>")
    shown = desk.get(f"/admin/catalogue/{kind}/{entry.pk}/as-agent/")

    assert "<b>Bold" not in shown.content.decode()
    assert shown.context["answer"] in unescape(shown.content.decode())
    served = anyone.get(f"/api/v1/{kind}s/pdf-tables")
    assert served.json() == json.loads(shown.context["answer"])


def test_a_draft_is_shown_as_an_agent_would_see_it(desk):
    skill = SkillFactory(status="draft")

    text = desk.get(f"/admin/catalogue/skill/{skill.pk}/as-agent/").content.decode()

    assert "agents get 404" in text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=pdf", {"one", "two"}),
        ("q=tables", {"two"}),
        ("q=THREE", {"three"}),
        ("q=demo:two/SKILL.md", {"two"}),
        ("q=%26+|+!+'", set()),
        ("status__exact=draft", {"two"}),
        ("category=data", {"one", "two"}),
        ("author=Ada", {"two"}),
        ("source=hand", {"one", "three"}),
        ("source=other", {"two"}),
        ("source=desk", set()),
        ("q=pdf&status__exact=published", {"one"}),
    ],
)
def test_entries_are_searched_and_filtered(desk, query, found):
    SkillFactory(slug="one", title="PDF", category="data", author="Grace")
    SkillFactory(
        slug="two",
        tags=["pdf", "tables"],
        category="data",
        author="Ada",
        status="draft",
        source="demo:two/SKILL.md",
    )
    SkillFactory(slug="three", category="finance")

    page = desk.get(f"/admin/catalogue/skill/?{query}")

    assert {skill.slug for skill in page.context["cl"].result_list} == found


def test_personas_are_filtered_by_price(desk):
    PersonaFactory(slug="free")
    PersonaFactory(slug="priced", price_cents=500, status="draft")

    for price in ("free", "priced"):
        page = desk.get(f"/admin/catalogue/persona/?price={price}")
        assert [persona.slug for persona in page.context["cl"].result_list] == [price]


def test_published_entries_are_sorted_by_what_is_counted(desk):
    for slug, downloads in (("few", 1), ("many", 9), ("some", 4)):
        SkillFactory(slug=slug, downloads=downloads)
    column = 5

    def slugs(query):
        page = desk.get(f"/admin/catalogue/skill/?status__exact=published&o={query}")
        return [skill.slug for skill in page.context["cl"].result_list]

    assert slugs(f"-{column}") == ["many", "some", "few"]
    assert slugs(f"{column}") == ["few", "some", "many"]
