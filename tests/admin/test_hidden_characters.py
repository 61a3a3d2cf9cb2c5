"""Hidden characters in the texts that staff write"""

from io import StringIO

import pytest
from django.core.management import call_command

from catalogue.models import Persona, Skill
from tests.admin.actions import take_action, told
from tests.admin.histories import restore
from tests.admin.rows import change_page
from tests.browser import untouched_form
from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.contract("28.7")
OVERRIDE = "\u202e"
SENTENCE = "Line 1 has U+202E RIGHT-TO-LEFT OVERRIDE."
SKILL_MD = "---\nname: pdf\ndescription: Reads.\n---\n\nDo it.\n"


def post(admin_client, row, **fields):
    page = admin_client.get(change_page(row))
    return admin_client.post(change_page(row), untouched_form(page) | fields)


def errors(response):
    return {name: list(texts) for name, texts in response.context["adminform"].form.errors.items()}


def test_a_field_of_an_entry(admin_client):
    persona = PersonaFactory(slug="archivist")
    names = ["title", "description", "category", "author", "license", "tags"]

    response = post(admin_client, persona, **dict.fromkeys(names, f"a{OVERRIDE}b"))

    assert errors(response) == {name: [SENTENCE] for name in names}


def test_the_text_of_an_entry(admin_client):
    skill = SkillFactory(slug="pdf", content=SKILL_MD)

    response = post(admin_client, skill, content=SKILL_MD.replace("Do it", "Do\U000e0068"))

    assert errors(response) == {"content": ['Line 6 has hidden tag characters that say "h".']}


@pytest.mark.parametrize("name", ["content", "frontmatter"])
def test_what_yaml_writes_with_escapes(admin_client, name):
    lines = '---\nname: pdf\ndescription: "A\\u202eB"\n---\n\n'
    if name == "content":
        row, text = SkillFactory(slug="pdf", content=SKILL_MD), f"{lines}Do it.\n"
    else:
        row, text = PersonaFactory(slug="pdf"), lines

    response = post(admin_client, row, **{name: text})

    assert errors(response)[name] == ["Line 3 has U+202E RIGHT-TO-LEFT OVERRIDE."]


def test_a_text_that_was_stored_before_may_stay(admin_client):
    title = f"a{OVERRIDE}b"
    persona = PersonaFactory(slug="archivist", title=title)

    assert post(admin_client, persona, description="New.").status_code == 302

    persona.refresh_from_db()
    assert (persona.title, persona.description) == (title, "New.")


SERVED = {
    "title": ("title", f"a{OVERRIDE}b"),
    "tags": ("tags", ["a", f"a{OVERRIDE}b"]),
    "content": ("content", f"a{OVERRIDE}b"),
}


@pytest.mark.parametrize("name", SERVED)
def test_it_is_served_and_listed_until_staff_change_it(admin_client, anyone, name):
    key, value = SERVED[name]
    persona = PersonaFactory(slug="archivist", license="MIT", **{name: value})

    assert post(admin_client, persona, author="Ada").status_code == 302

    served = anyone.get("/api/v1/personas/archivist").json()
    assert (served["author"], served[key]) == ("Ada", value)
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in inspected()
    better = {"tags": "a, b"} if name == "tags" else {name: "Better."}
    assert post(admin_client, persona, **better).status_code == 302
    left = [line for line in inspected().splitlines() if "U+202E" in line]
    if name == "content":  # of the version before, which agents may still read
        assert left.pop().startswith("persona archivist, version 1")
    assert left == []


def inspected():
    out = StringIO()
    call_command("inspect_catalogue", stdout=out)
    return out.getvalue()


def test_a_draft_with_them_is_not_published(admin_client):
    persona = PersonaFactory(slug="archivist", content=f"a{OVERRIDE}b", status="draft")

    page = take_action(admin_client, "publish", persona)

    assert told(page) == [f"archivist: {SENTENCE}"]
    persona.refresh_from_db()
    assert persona.status == "draft"
    post(admin_client, persona, _publish="yes")
    persona.refresh_from_db()
    assert persona.status == "draft"


def test_a_version_with_them_is_not_restored(admin_client):
    persona = PersonaFactory(slug="archivist", content=f"a{OVERRIDE}b")
    persona.content = "Better."
    persona.save()

    url = f"{change_page(persona).removesuffix('change/')}versions/1/restore/"
    page = admin_client.post(url, {"confirmed": "yes"}, follow=True)

    assert told(page) == [SENTENCE]
    persona.refresh_from_db()
    assert persona.content == "Better."


def test_an_earlier_state_with_them_is_not_restored(admin_client):
    row = PersonaFactory(description=f"a{OVERRIDE}b")
    assert post(admin_client, row, description="Better.").status_code == 302

    page = restore(admin_client, row, row.history.last())

    assert told(page)[-1] == SENTENCE
    assert row.description == "Better."


@pytest.mark.parametrize(
    ("action", "field", "others"),
    [
        ("recall", "reason", {}),
        ("deprecate", "message", {}),
        ("add_note", "text", {}),
        ("edit_labels", "add_tags", {}),
        ("edit_labels", "category", {}),
        ("edit_labels", "license", {}),
    ],
)
def test_the_words_of_an_action(admin_client, action, field, others):
    persona = PersonaFactory(slug="archivist")

    page = take_action(admin_client, action, persona, **{field: f"a{OVERRIDE}b"}, **others)

    assert page.context["form"].errors[field] == [SENTENCE]
    assert Persona.objects.filter(status="published", deprecation_message="").exists()


def test_writing_the_fields_into_the_frontmatter(admin_client):
    skill = SkillFactory(slug="pdf", content=SKILL_MD)
    Skill.objects.update(description=f"a{OVERRIDE}b")

    page = take_action(admin_client, "write_frontmatter", skill)

    assert told(page)[0] == "pdf: Line 3 has U+202E RIGHT-TO-LEFT OVERRIDE."
    skill.refresh_from_db()
    assert skill.content == SKILL_MD
