"""A whole file that is pasted into the form of a new entry fills its fields"""

import pytest

from tests.factories import ABOUT_SKILL, SkillFactory

SKILL_FIELDS = "/admin/catalogue/skill/fields/"
PERSONA_FIELDS = "/admin/catalogue/persona/fields/"
SKILL_MD = """---
name: pdf-tables
description: "Reads tables: all of them."
license: MIT
metadata:
  category: data
  tags: [pdf, tables]
  version: 1.10
---

# Tables
"""


def answer(admin_client, url, content, status=200):
    response = admin_client.post(url, {"content": content})
    assert response.status_code == status
    return response.json()


def test_a_skill_md_answers_its_fields_as_the_form_shows_them(admin_client):
    assert answer(admin_client, SKILL_FIELDS, SKILL_MD.replace("\n", "\r\n")) == {
        "fields": dict.fromkeys(ABOUT_SKILL, "")
        | {
            "slug": "pdf-tables",
            "title": "PDF Tables",
            "description": "Reads tables: all of them.",
            "category": "data",
            "version": "1.10",
            "license": "MIT",
            "tags": "pdf,tables",
        },
        "content": SKILL_MD,
    }


def test_the_file_of_a_persona_answers_its_price_its_skills_and_its_prompt(admin_client):
    skill = SkillFactory(slug="pdf-tables")
    text = (
        "---\nname: The Archivist\ntitle: Archivist\npriceCents: 250\n"
        "skills: [pdf-tables, unknown]\n---\n\nYou are an archivist.\n"
    )

    body = answer(admin_client, PERSONA_FIELDS, text)

    assert body["content"] == "You are an archivist.\n"
    fields = {name: value for name, value in body["fields"].items() if value}
    assert fields == {
        "slug": "the-archivist",
        "frontmatter": text.removesuffix(body["content"]),
        "title": "Archivist",
        "price_cents": "250",
        "skills": [[skill.pk, "pdf-tables"]],
    }


@pytest.mark.parametrize(
    ("url", "content", "reason"),
    [
        (SKILL_FIELDS, "# Tables", "no frontmatter"),
        (SKILL_FIELDS, "", "no frontmatter"),
        (PERSONA_FIELDS, "---\nname: a\npriceCents: much\n---\nHi.", "priceCents must be a whole"),
        (PERSONA_FIELDS, "---\nname: a\n---\n", "no prompt after the frontmatter"),
    ],
)
def test_an_unreadable_text_is_refused_with_the_reason(admin_client, url, content, reason):
    body = answer(admin_client, url, content, 400)

    assert body.keys() == {"error"}
    assert f"No field was filled: {reason}" in body["error"]


def test_only_who_may_add_entries_is_answered(admin_client_of, client):
    assert admin_client_of("Moderators").post(SKILL_FIELDS).status_code == 403
    assert client.post(SKILL_FIELDS).status_code == 302
    assert admin_client_of("Editors").get(SKILL_FIELDS).status_code == 405


def test_the_form_of_a_new_entry_says_so_and_that_of_an_old_one_does_not(admin_client):
    skill = SkillFactory()
    new = admin_client.get("/admin/catalogue/persona/add/").content.decode()
    old = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/change/").content.decode()

    assert f'data-url="{PERSONA_FIELDS}"' in new
    assert 'id="pasted"' not in old
