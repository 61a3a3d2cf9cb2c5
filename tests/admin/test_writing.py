"""Writing skills and personas: the errors of the form, fields that follow the text, the preview"""

import json
from html import unescape

import pytest

from agents import tokens
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


def add(admin_client, content=SKILL_MD, **fields):
    form = untouched_form(admin_client.get(ADD))
    new = {"title": "PDF Tables", "slug": "pdf-tables", "content": content}
    return admin_client.post(ADD, form | new | fields)


def edit(admin_client, skill, **fields):
    url = f"/admin/catalogue/skill/{skill.pk}/change/"
    response = admin_client.post(url, untouched_form(admin_client.get(url)) | fields)
    skill.refresh_from_db()
    return response


def form_errors(response, field="content"):
    assert response.status_code == 200
    return response.context["adminform"].form.errors[field]


def test_a_pasted_skill_fills_the_fields_that_were_left_empty(admin_client):
    assert add(admin_client, category="documents").status_code == 302

    skill = Skill.objects.get()
    assert (skill.description, skill.license, skill.tags) == (
        "Reads tables.",
        "MIT",
        ["pdf", "tables"],
    )
    assert (skill.title, skill.category) == ("PDF Tables", "documents")


@pytest.mark.parametrize(
    ("title", "slug"), [("C++", "c-plus-plus"), ("包裹", "bao-guo"), ("PDF Tables", "pdf-tables")]
)
def test_an_empty_slug_is_made_from_the_title_as_an_import_makes_it(admin_client, title, slug):
    content = SKILL_MD.replace("pdf-tables", slug)

    assert add(admin_client, content, title=title, slug="").status_code == 302

    assert Skill.objects.get().slug == slug


@pytest.mark.parametrize(
    ("title", "error"),
    [
        ("📦", "Enter a slug: none can be made from the title."),
        ("PDF Tables", "pdf-tables is taken; pdf-tables-2 is free."),
    ],
)
def test_a_title_that_makes_no_free_slug_is_refused(admin_client, title, error):
    SkillFactory(slug="pdf-tables")

    response = add(admin_client, title=title, slug="")

    assert form_errors(response, "slug") == [error]
    assert Skill.objects.count() == 1


def test_the_slug_of_an_entry_cannot_be_emptied(admin_client):
    skill = SkillFactory(slug="pdf-tables")

    assert form_errors(edit(admin_client, skill, slug=""), "slug") == ["This field is required."]


def test_a_token_in_the_text_is_refused(admin_client):
    response = add(admin_client, SKILL_MD + tokens.mint())

    assert form_errors(response) == ["Remove the agent token from this text, and revoke it."]
    assert not Skill.objects.exists()


def test_an_edited_frontmatter_moves_the_fields_that_it_changed_and_no_others(admin_client):
    skill = SkillFactory(slug="pdf-tables", content=SKILL_MD, title="Chosen", description="Chosen.")

    edit(admin_client, skill, content=SKILL_MD.replace(": data", ": finance") + "More.\n")

    assert (skill.category, skill.title, skill.description) == ("finance", "Chosen", "Chosen.")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Do it.", "Start with frontmatter: a line of ---"),
        ("---\nname: pdf-tables\n", "Close the frontmatter with a line of ---"),
        (
            SKILL_MD.replace("---\n\n#", "\n#"),
            "End the frontmatter: write --- above line 9.",
        ),
        ("---\n---\nDo it.", "Fix the frontmatter: the frontmatter holds no"),
        (SKILL_MD.replace("name: pdf-tables\n", ""), "Add the line name: pdf-tables"),
        (
            SKILL_MD.replace("name: pdf-tables", "name: csv-tables"),
            "Change the name in the frontmatter from csv-tables to pdf-tables",
        ),
        (SKILL_MD.replace("description: Reads tables.\n", ""), "Add a line description:"),
        (SKILL_MD.replace("Reads", "Reads" * 300), "Shorten the description in the frontmatter"),
        (SKILL_MD.replace("Reads tables.", "Reads: tables: all"), "it is not valid YAML"),
        (SKILL_MD.replace("\n# Tables\n", ""), "Write the instructions below the frontmatter."),
        (SKILL_MD + "x" * 1024 * 1024, "Shorten it to 1024 KiB."),
    ],
)
def test_an_invalid_skill_is_refused_with_what_to_change(admin_client, content, text):
    assert text in " ".join(form_errors(add(admin_client, content)))
    assert not Skill.objects.exists()


def test_a_taken_slug_comes_with_a_free_one(admin_client):
    SkillFactory(slug="pdf-tables")
    SkillFactory(slug="pdf-tables-2")

    assert form_errors(add(admin_client), "slug") == ["pdf-tables is taken; pdf-tables-3 is free."]


def test_an_old_text_that_is_no_skill_does_not_stand_in_the_way(admin_client):
    skill = SkillFactory(content="Do it.")

    assert edit(admin_client, skill, title="New").status_code == 302
    assert (skill.title, skill.content) == ("New", "Do it.")


@pytest.mark.parametrize("content", ["  \n", "---\nname: archivist\n---\nYou are.\n"])
def test_a_prompt_is_a_text_without_frontmatter(admin_client, content):
    url = "/admin/catalogue/persona/add/"
    new = {"title": "A", "slug": "a", "content": content, "price_cents": 0}

    response = admin_client.post(url, untouched_form(admin_client.get(url)) | new)

    assert form_errors(response)
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
def test_nothing_in_a_preview_runs_or_loads(admin_client, content):
    html = admin_client.post(PREVIEW, {"content": content}).content.decode()

    for tag in ("<script", "<img", "<style", "<iframe", 'href="javascript', 'href="data'):
        assert tag not in html


def test_a_preview_is_the_markdown_without_its_frontmatter(admin_client):
    content = SKILL_MD.replace("\n", "\r\n") + "\r\n| a | b |\r\n|---|---|\r\n| 1 | **2** |\r\n"

    html = admin_client.post(PREVIEW, {"content": content}).content.decode()

    assert html.startswith('<h2 id="text-tables">Tables</h2>')
    assert "<td><strong>2</strong></td>" in html
    assert "description" not in html


@pytest.mark.parametrize(("make", "kind"), [(SkillFactory, "skill"), (PersonaFactory, "persona")])
def test_an_entry_is_shown_as_an_agent_sees_it(admin_client, anyone, make, kind):
    entry = make(slug="pdf-tables", content="<b>Bold</b>")
    page = admin_client.get(f"/admin/catalogue/{kind}/{entry.pk}/as-agent/")

    assert "<b>Bold" not in page.content.decode()
    assert page.context["body"] in unescape(page.content.decode())
    served = anyone.get(f"/api/v1/{kind}s/pdf-tables")
    assert served.json() == json.loads(page.context["body"])


def test_a_draft_is_shown_as_an_agent_would_see_it(admin_client):
    skill = SkillFactory(status="draft")

    text = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/as-agent/").content.decode()

    assert "so agents get a 404" in text


@pytest.mark.parametrize(
    ("query", "slugs"),
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
        ("source=admin", set()),
        ("q=pdf&status__exact=published", {"one"}),
    ],
)
def test_entries_are_searched_and_filtered(admin_client, query, slugs):
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

    page = admin_client.get(f"/admin/catalogue/skill/?{query}")

    assert {skill.slug for skill in page.context["cl"].result_list} == slugs


def test_personas_are_filtered_by_price(admin_client):
    PersonaFactory(slug="free")
    PersonaFactory(slug="priced", price_cents=500, status="draft")

    for price in ("free", "priced"):
        page = admin_client.get(f"/admin/catalogue/persona/?price={price}")
        assert [persona.slug for persona in page.context["cl"].result_list] == [price]


def test_published_entries_are_sorted_by_what_is_counted(admin_client):
    for slug, downloads in (("few", 1), ("many", 9), ("some", 4)):
        SkillFactory(slug=slug, downloads=downloads)
    column = 5

    def slugs(query):
        page = admin_client.get(f"/admin/catalogue/skill/?status__exact=published&o={query}")
        return [skill.slug for skill in page.context["cl"].result_list]

    assert slugs(f"-{column}") == ["many", "some", "few"]
    assert slugs(f"{column}") == ["few", "some", "many"]


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_a_text_keeps_its_newlines_and_its_byte_order_mark(admin_client, newline):
    content = ("\ufeff" + SKILL_MD).replace("\n", newline)
    skill = SkillFactory(slug="pdf-tables", content=content)

    assert edit(admin_client, skill, title="Tables").status_code == 302
    untouched = skill.content
    assert edit(admin_client, skill, content=f"{SKILL_MD}More.\r\n").status_code == 302

    assert untouched == content
    assert skill.content == f"{content}More.{newline}"
    assert skill.file_text.endswith(f"More.{newline}")
