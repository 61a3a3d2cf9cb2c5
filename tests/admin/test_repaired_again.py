"""A recalled or purged text stays away, and no other one does, whatever agents get of it"""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from catalogue.models import FileContent, Purge, Skill
from tests.admin.actions import take_action, told
from tests.admin.test_refused_texts import PURGED, RECALLED
from tests.api.versions import ONE, TWO, rewrite
from tests.factories import PersonaFactory, SkillFactory
from tests.imports import import_skills, write

pytestmark = pytest.mark.django_db
MADE = "---\nname: pdf\ndescription: Made.\n---\n\nDo it.\n"  # as an earlier release did


def recall(skill, *numbers):
    for number in numbers:
        skill.versions.get(number=number).recall("Unsafe.")


def change(entry, **fields):
    """Save the fields as staff do; returns the errors, or the number of the entry.

    The form and the trigger agree.
    """
    for name, value in fields.items():
        setattr(entry, name, value)
    try:
        entry.full_clean()
    except ValidationError as error:
        with pytest.raises(IntegrityError), transaction.atomic():
            entry.save()
        entry.refresh_from_db()
        return error.message_dict
    entry.save()
    entry.refresh_from_db()
    return entry.number


@pytest.mark.contract("25.11")
@pytest.mark.parametrize(
    "fields",
    [{"slug": "other"}, {"description": "Another one."}, {"description": "", "title": "Another"}],
    ids=["slug", "description", "title"],
)
@pytest.mark.parametrize("content", ["Delete it.", "---\nname: one\nhooks: {}\n---\nDelete it.\n"])
def test_a_recalled_text_does_not_come_back_with_other_repairs(content, fields):
    skill = SkillFactory(content=content)
    rewrite(skill, "Good.")
    recall(skill, 1)

    assert change(skill, content=content, **fields) == {"content": [RECALLED]}


@pytest.mark.contract("25.11")
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_agents_got_does_not_come_back_under_another_slug(newline):
    skill = SkillFactory(slug="pdf-tables", content=f"Delete{newline}it.")
    served = skill.file_text
    rewrite(skill, "Good.")
    recall(skill, 1)
    again = {"slug": "other", "content": served.replace("\r\n", "\n")}

    assert change(skill, **again) == {"content": [RECALLED]}
    Purge.objects.purge(skill.versions.get(number=1), "Unsafe.")
    assert change(SkillFactory(), **again) == {"content": [PURGED]}


@pytest.mark.contract("25.11")
def test_what_a_version_still_has_is_not_refused():
    skill = SkillFactory(content="Read.", description="Unsafe.")
    rewrite(skill, "Read.", description="Safe.")
    rewrite(skill, ONE)
    recall(skill, 1)

    assert change(skill, content="Read.", description="Unsafe.") == {"content": [RECALLED]}
    skill.versions.get(number=2).restore()
    assert change(skill, description="Safer.") == 5
    rewrite(skill, TWO)
    recall(skill, 2, 5)
    assert change(skill, content="Read.") == {"content": [RECALLED]}


@pytest.mark.contract("25.11")
def test_a_prompt_with_other_lines_is_not_that_of_a_recalled_one():
    persona = PersonaFactory(content="Read.")
    rewrite(persona, "Read.", frontmatter="---\ntools: Read\n---\n")
    rewrite(persona, "Write.", frontmatter="")
    recall(persona, 1)

    persona.versions.get(number=2).restore()

    persona.refresh_from_db()
    assert (persona.number, persona.tools) == (4, ["Read"])


@pytest.mark.contract("25.11")
@pytest.mark.parametrize("frontmatter", ["", "---\ntools: Read\n---\n"])
def test_a_recalled_prompt_does_not_come_back_with_other_newlines(frontmatter):
    persona = PersonaFactory(content="Delete\r\nit.\r\n")
    rewrite(persona, "Good.")
    recall(persona, 1)

    errors = change(persona, frontmatter=frontmatter, content="Delete\nit.")

    assert errors == {"content": [RECALLED]}


@pytest.fixture
def rewritten(tmp_path):
    """A skill of which an earlier release published MADE, and its file."""
    file = write(tmp_path / "pdf" / "SKILL.md", MADE.replace("---\n\n", "hooks: {}\n---\n\n"))
    import_skills(tmp_path, draft=True)
    Skill.objects.update(skill_md=MADE, status="published")
    return Skill.objects.get(), file


@pytest.mark.contract("25.11")
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("is_purged", [False, True])
def test_a_file_that_an_earlier_release_rewrote_does_not_come_back(
    rewritten, tmp_path, newline, mark, is_purged
):
    skill, file = rewritten
    rewrite(skill, "Good.")
    recall(skill, 1)
    if is_purged:
        Purge.objects.purge(skill.versions.get(number=1), "Unsafe.")
    write(file, mark + file.read_text().replace("\n", newline))

    reason = PURGED if is_purged else RECALLED
    assert import_skills(tmp_path).refused == [f"{file}: {reason}"]


@pytest.mark.contract("16.3", "25.11")
@pytest.mark.parametrize("number", [1, 2])
def test_publishing_looks_at_the_text_that_is_stored(admin_client, rewritten, tmp_path, number):
    """Version 2 is the file itself, and 3 is what the earlier release made of it."""
    skill, _ = rewritten
    import_skills(tmp_path)
    skill.versions.get(number=1).restore()
    skill.refresh_from_db()
    skill.redraft()
    recall(skill, number)

    told_last = told(take_action(admin_client, "publish", skill))[-1]

    skill.refresh_from_db()
    assert (skill.file_text, skill.status) == (MADE, "draft" if number == 1 else "published")
    assert (told_last == f"pdf: {RECALLED}") is (number == 1)


@pytest.mark.contract("25.13")
def test_a_snapshot_of_the_text_goes_under_each_of_its_titles():
    skill, other = SkillFactory(content="Bad."), SkillFactory(content="Bad.")
    for title in ("One", "Two"):
        skill.title = title
        skill.save()
        skill.snapshot_before_change()
    assert skill.number == 1
    rewrite(skill, "Good.")

    Purge.objects.purge(skill.versions.get(number=1), "Unsafe.")

    assert {*skill.history.values_list("title", "content")} == {("", "")}
    assert FileContent.objects.filter(digest=other.versions.get().content_digest).exists()
