"""Where a skill's fields and its frontmatter differ, staff see it, and write the fields there"""

import pytest

from tests.admin.actions import take_action
from tests.admin.rows import change_page, url_of
from tests.factories import PersonaFactory, SkillFactory, review

SKILL_MD = """---
name: pdf-tables
title: Tables
description: Reads tables.
allowed-tools: Read
metadata:
  category: data
---

# Tables

---
"""
WRITTEN = """---
name: pdf-tables
title: PDF Tables
description: 'Reads tables: all.'
allowed-tools: Read
metadata:
  tags: pdf, tables
license: MIT
---

# Tables

---
"""


def page_of(admin_client, row):
    return admin_client.get(change_page(row)).content.decode()


@pytest.fixture
def skill(db):
    """A skill whose fields say what its frontmatter says."""
    return SkillFactory(
        slug="pdf-tables",
        title="Tables",
        description="Reads tables.",
        category="data",
        content=SKILL_MD,
    )


@pytest.fixture
def edited(skill):
    type(skill).objects.filter(pk=skill.pk).update(
        title="PDF Tables",
        description="Reads tables:\nall.",
        category="",
        license="MIT",
        tags=["pdf", "tables"],
    )
    skill.refresh_from_db()
    return skill


def test_nothing_is_said_where_they_agree(admin_client, skill):
    page = page_of(admin_client, skill)

    assert "The frontmatter differs" not in page
    assert "write_frontmatter" not in page


def test_the_fields_that_differ_are_named(admin_client, edited):
    page = page_of(admin_client, edited)

    names = "title, description, category, license, tags"
    assert f"<b>The frontmatter differs</b> from these fields: {names}." in page
    assert f"/skill/{edited.pk}/do/write_frontmatter/" in page


def test_writing_is_asked_first_and_shows_what_becomes_of_the_text(admin_client, edited):
    page = admin_client.get(f"/admin/catalogue/skill/{edited.pk}/do/write_frontmatter/")

    text = page.content.decode()
    assert "<span>title, description, category, license, tags</span>" in text
    assert ">description: Reads tables.</span>" in text
    edited.refresh_from_db()
    assert edited.content == SKILL_MD


def test_writing_changes_the_frontmatter_alone_and_goes_into_the_history(
    admin_client, anyone, edited
):
    page = take_action(admin_client, "write_frontmatter", edited).content.decode()

    assert "Wrote the fields into the frontmatter:" in page
    served = anyone.get("/api/v1/skills/pdf-tables").json()
    assert (served["content"], served["category"], served["tags"]) == (
        WRITTEN,
        "",
        ["pdf", "tables"],
    )
    assert "The frontmatter differs" not in page_of(admin_client, edited)
    history = admin_client.get(url_of(type(edited), "history", edited.pk)).content.decode()
    assert "Wrote the fields into the frontmatter." in history


def test_a_text_without_a_frontmatter_gets_one(admin_client, anyone):
    skill = SkillFactory(slug="bare", title="Bare", content="Do it.", description="Does it.")

    take_action(admin_client, "write_frontmatter", skill)

    written = "---\nname: bare\ndescription: Does it.\nmetadata:\n  title: Bare\n"
    assert anyone.get("/api/v1/skills/bare").json()["content"].startswith(written)


def test_nothing_is_written_where_nothing_differs(admin_client, skill):
    page = take_action(admin_client, "write_frontmatter", skill).content.decode()

    assert "The frontmatter already matches the fields." in page
    skill.refresh_from_db()
    assert skill.content == SKILL_MD


# The public page


@pytest.mark.parametrize("make", [SkillFactory, PersonaFactory])
def test_a_published_entry_links_to_its_page_on_the_site(admin_client, anyone, make):
    entry = make(slug="scribe")
    address = f"/{entry._meta.model_name}s/scribe"

    assert f'href="{address}"' in page_of(admin_client, entry)
    assert anyone.get(address).status_code == 200
    type(entry).objects.update(status="draft")
    assert f'href="{address}"' not in page_of(admin_client, entry)


def test_a_review_leads_to_the_page_that_shows_it(admin_client, agent):
    written = review(agent, PersonaFactory(slug="archivist"), 4)

    assert 'href="/personas/archivist"' in page_of(admin_client, written)
    written.hide("Rude.")
    assert 'href="/personas/archivist"' not in page_of(admin_client, written)
