"""An entry has at most 50 tags and 50 runtimes, and a persona at most 100 skills (contract 8.21)"""

import pytest

from catalogue.models import Persona, Skill
from tests.admin.actions import take_action, told
from tests.admin.files import outcomes, upload
from tests.admin.rows import change_page
from tests.browser import untouched_form
from tests.factories import PersonaFactory, SkillFactory
from tests.imports import import_personas, import_skills, served, skill, write

WORDS = [f"word-{number}" for number in range(5000)]
TOO_MANY = "List contains 51 items, it should contain no more than 50."


def lines(count):
    return [f"{name}: [{', '.join(WORDS[:count])}]" for name in ("tags", "runtimes")]


@pytest.mark.contract("8.21")
def test_an_import_keeps_the_first_fifty_and_notes_it(anyone, tmp_path):
    file = skill(tmp_path / "one", "name: one", *lines(2500))
    skill(tmp_path / "two", "name: two", *lines(50))

    outcome = import_skills(tmp_path)

    assert outcome.lines == [
        f"note: {file}: kept the first 50 of 2,500 tags",
        f"note: {file}: kept the first 50 of 2,500 runtimes",
        "skills: 2 created, 0 updated, 0 unchanged, 0 refused",
    ]
    for slug in ("one", "two"):
        entry = served(anyone, slug)
        assert (entry["tags"], entry["runtimes"]) == (WORDS[:50], WORDS[:50])
    # Its text is served as it is.
    assert served(anyone, "one")["content"] == file.read_text()
    assert import_skills(tmp_path).lines[-1].startswith("skills: 0 created, 0 updated, 2 unchanged")


def test_a_preview_notes_it(admin_client):
    text = f"---\nname: one\ndescription: Does it.\ntags: {', '.join(WORDS)}\n---\nDo it.\n"

    page = upload(admin_client, text, name="SKILL.md")

    assert outcomes(page) == {"created": ["SKILL.md"]}
    assert "kept the first 50 of 5,000 tags" in page.content.decode()


def save(admin_client, entry, **fields):
    form = untouched_form(admin_client.get(change_page(entry)))
    return admin_client.post(change_page(entry), form | fields)


@pytest.mark.contract("8.21")
@pytest.mark.parametrize(("make", "name"), [(SkillFactory, "tags"), (PersonaFactory, "runtimes")])
def test_a_form_refuses_more_than_fifty(admin_client, make, name):
    entry = make(slug="one")
    assert save(admin_client, entry, **{name: ",".join(WORDS[:50])}).status_code == 302

    page = save(admin_client, entry, **{name: ",".join(WORDS[:51])})

    assert page.status_code == 200
    assert page.context["adminform"].form.errors == {name: [TOO_MANY]}
    entry.refresh_from_db()
    assert getattr(entry, name) == WORDS[:50]


def test_a_form_refuses_more_in_the_frontmatter_that_its_fields_follow(admin_client):
    text = "---\nname: one\ndescription: Does it.\ntags: {}\n---\nDo it.\n"
    entry = SkillFactory(slug="one", content=text.format("a"), tags=["a"])

    page = save(admin_client, entry, content=text.format(", ".join(WORDS[:51])))

    assert page.context["adminform"].form.errors == {"tags": [TOO_MANY]}
    assert Skill.objects.get().content == text.format("a")


@pytest.mark.contract("8.21")
def test_no_edit_of_labels_adds_more_than_fifty(admin_client):
    entry = SkillFactory(slug="one", tags=WORDS[:49], category="data")

    page = take_action(admin_client, "edit_labels", entry, add_tags="a,b", category="files")
    assert told(page) == [f"one: {TOO_MANY}"]
    entry.refresh_from_db()
    assert (entry.tags, entry.category) == (WORDS[:49], "data")

    page = take_action(admin_client, "edit_labels", entry, add_tags="a,b", remove_tags=WORDS[0])
    assert told(page) == ["Edited: one."]
    page = take_action(admin_client, "edit_labels", entry, add_tags=",".join(WORDS))
    assert "List contains 5000 items, it should contain no more than 50." in page.content.decode()


@pytest.mark.contract("8.21")
def test_a_persona_bundles_a_hundred_skills_and_no_more(admin_client, tmp_path):
    skills = [SkillFactory(slug=word) for word in WORDS[:101]]
    text = "---\nname: one\nskills: [{}]\n---\nYou are one.\n"
    write(tmp_path / "one.md", text.format(", ".join(WORDS[:100])))
    assert import_personas(tmp_path).lines[-1].startswith("personas: 1 created")
    write(tmp_path / "one.md", text.format(", ".join(WORDS[:101])))

    assert import_personas(tmp_path).refused == [
        f"{tmp_path / 'one.md'}: it bundles more than 100 skills"
    ]
    persona = Persona.objects.get()
    page = save(admin_client, persona, skills=[skill.pk for skill in skills])
    assert page.context["adminform"].form.errors == {
        "skills": ["Choose at most 100 skills, not 101."]
    }
    assert persona.skills.count() == 100
