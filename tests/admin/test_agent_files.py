"""Staff read, edit, compare, restore and export the frontmatter of a persona's file"""

import io
import re
import zipfile

import pytest

from agents import tokens
from catalogue.models import Persona
from tests.admin.actions import take_action
from tests.admin.diffs import without_marks
from tests.admin.edits import opened, refusal, save, saved
from tests.admin.files import PERSONAS, confirm, outcomes, upload
from tests.admin.histories import edit, history, restore
from tests.admin.rows import change_page
from tests.factories import PersonaFactory, SkillFactory

READ, GREP = (f"---\nname: reader\ntools: {tool}\n---\n\n" for tool in ("Read", "Grep"))
API = "/api/v1/personas/reader"


@pytest.fixture
def persona(db):
    """A persona whose second version asks for another tool."""
    persona = PersonaFactory(
        slug="reader",
        title="Reader",
        description="",
        category="",
        frontmatter=READ,
        content="You read.\n",
    )
    persona.frontmatter = GREP
    persona.save()
    return persona


def refusal_of(admin_client, persona, **fields):
    errors, _ = refusal(save(admin_client, persona, opened(admin_client, persona) | fields))
    return errors


def exported(admin_client):
    """The files of an export, by name."""
    data = b"".join(admin_client.get(f"{PERSONAS}export/").streaming_content)
    archive = zipfile.ZipFile(io.BytesIO(data))
    return {name: archive.read(name).decode() for name in archive.namelist()}


# A text as staff type it, and as it is saved.
SAVED = {
    "---\r\ntools: Read\r\n---\r\n\r\n": "---\ntools: Read\n---\n\n",
    "tools: Read": "---\ntools: Read\n---\n\n",
    "---\ntools: Read\n---": "---\ntools: Read\n---\n\n",
    "tools:\n  - Read # only\n": "---\ntools:\n  - Read # only\n---\n\n",
    " \n": "",
}


@pytest.mark.contract("23.11")
def test_the_lines_are_saved_as_the_start_of_a_file(admin_client, persona, alone):
    form = opened(admin_client, persona)
    for text, expected in SAVED.items():
        with alone(text):
            saved(admin_client, persona, form | {"frontmatter": text})

            persona.refresh_from_db()
            assert (persona.frontmatter, persona.number) == (expected, 3)


REFUSED = [
    ("---\ntools: Read", "Close the frontmatter with a line of --- below it."),
    (f"{READ}Text.", "Move the text below the second line of --- to the content."),
    ("Read the list.", "Write one field on each line, such as tools: Read, Grep."),
    ("---\n---\n", "Write one field on each line, such as tools: Read, Grep."),
    ("tools: Read: x", "quote any value that contains a colon and a space."),
    ("x: " + "y" * 65536, "Shorten it to 64 KiB."),
    ("tools: \0", "Null characters are not allowed."),
    ("tools: {token}", "Remove the agent token from this text, and revoke it."),
]


@pytest.mark.contract("23.11")
def test_lines_that_are_no_fields_are_refused(admin_client, persona, subtests):
    form = opened(admin_client, persona)
    for text, error in REFUSED:
        with subtests.test(error):
            lines = text.replace("{token}", tokens.mint())

            errors, _ = refusal(save(admin_client, persona, form | {"frontmatter": lines}))

            [sentence] = errors["frontmatter"]
            assert error in sentence
            persona.refresh_from_db()
            assert (persona.frontmatter, persona.number) == (GREP, 2)


def test_fields_that_were_not_edited_follow_the_lines(admin_client, persona):
    lines = "title: Second\ndescription: Reads lists.\ntools: Read"

    edit(admin_client, persona, frontmatter=lines, title="Third")

    assert (persona.title, persona.description) == ("Third", "Reads lists.")


def test_the_page_says_which_tools_it_asks_for(admin_client, persona):
    def tools():
        page = admin_client.get(change_page(persona)).content.decode()
        return re.search(r">Tools</label>.*?class=\"readonly[^>]*>([^<]*)<", page, re.DOTALL)[1]

    assert tools() == "Grep"
    edit(admin_client, persona, frontmatter="tools: []")
    assert tools() == "none"
    edit(admin_client, persona, frontmatter="")
    assert tools() == "all"


@pytest.mark.contract("23.11")
def test_a_pasted_file_fills_its_lines(admin_client):
    body = admin_client.post(f"{PERSONAS}fields/", {"content": f"{READ}You read.\n"}).json()

    assert (body["fields"]["frontmatter"], body["content"]) == (READ, "You read.\n")


@pytest.mark.contract("25.14")
def test_a_comparison_shows_the_lines(admin_client, persona):
    for page in (
        f"/admin/catalogue/persona/{persona.pk}/versions/compare/?from=1&to=2",
        "/personas/reader/versions/compare?from=1",
    ):
        shown = without_marks(admin_client.get(page))
        assert "Frontmatter" in shown
        assert '<span class="del">tools: Read</span><span class="add">tools: Grep</span>' in shown
        assert "Prompt" not in shown
    assert "tools: Read" in without_marks(
        admin_client.get(f"/admin/catalogue/persona/{persona.pk}/versions/1/")
    )
    Persona.objects.update(price_cents=5)
    page = without_marks(admin_client.get("/personas/reader/versions/compare?from=1"))
    assert "tools: Read" not in page


@pytest.mark.contract("25.14")
def test_a_version_is_restored_with_its_lines(admin_client, anyone, persona):
    url = f"/admin/catalogue/persona/{persona.pk}/versions/1/restore/"
    admin_client.post(url, {"confirmed": "yes"})

    shown = anyone.get(API).json()
    assert (shown["number"], shown["frontmatter"], shown["tools"]) == (3, READ, ["Read"])
    assert shown["digest"] == persona.versions.get(number=1).digest


@pytest.mark.contract("23.11")
def test_the_history_shows_the_lines_and_restores_those_of_a_draft(admin_client):
    draft = PersonaFactory(slug="draft", status="draft", frontmatter=READ)
    edit(admin_client, draft, frontmatter=GREP)

    page = without_marks(history(admin_client, draft))
    assert '<span class="del">tools: Read</span><span class="add">tools: Grep</span>' in page
    restore(admin_client, draft, draft.history.last())
    assert draft.frontmatter == READ


@pytest.mark.contract("25.11")
def test_a_recalled_text_hides_its_lines_and_does_not_come_back(admin_client, anyone, persona):
    persona.versions.get(number=1).recall("It reads too much.")

    assert anyone.get(f"{API}/versions/1").status_code == 404
    errors = refusal_of(admin_client, persona, frontmatter=READ)
    assert errors["content"] == [
        "This text was recalled. Change it, or lift the recall of its version."
    ]
    edit(admin_client, persona, frontmatter="tools: Glob")


@pytest.mark.contract("25.11")
def test_a_prompt_that_was_recalled_does_not_come_back_below_other_lines(admin_client):
    """An earlier release published prompts alone."""
    persona = PersonaFactory(content="Delete it.")
    persona.content = "Keep it."
    persona.save()
    persona.versions.get(number=1).recall("It deletes.")

    errors = refusal_of(admin_client, persona, frontmatter="tools: Read", content="Delete it.\r\n")

    assert list(errors) == ["content"]


@pytest.mark.contract("23.11")
def test_an_export_is_the_file(admin_client, persona):
    assert exported(admin_client) == {"reader.md": f"{GREP}You read.\n"}

    page = upload(admin_client, f"{READ}You read.\n", name="reader.md", to=PERSONAS)
    assert outcomes(page) == {"updated": ["reader.md"]}
    assert '<span class="del">tools: Grep</span><span class="add">tools: Read</span>' in (
        without_marks(page)
    )
    confirm(admin_client, PERSONAS)
    assert exported(admin_client) == {"reader.md": f"{READ}You read.\n"}


@pytest.mark.contract("23.11")
def test_an_export_has_the_fields_that_staff_changed(admin_client, persona):
    lines = "---\nname: reader # ours\ntitle: Old\nhooks: {a: [true, 1.10]}\n---\n\n"
    SkillFactory(slug="pdf")
    persona.frontmatter, persona.title = lines, "New: title"
    persona.price_cents, persona.tags = 5, ["a", "b"]
    persona.save()
    persona.skills.set([SkillFactory(slug="csv")])

    text, title = exported(admin_client)["reader.md"], "title: 'New: title'\n"

    assert text.startswith(f"---\nname: reader # ours\n{title}hooks: {{a: [true, 1.10]}}\n")
    page = upload(admin_client, text, name="reader.md", to=PERSONAS)
    assert outcomes(page) == {"unchanged": ["reader.md"]}


def test_the_page_says_which_fields_differ_and_writes_them(admin_client, persona):
    edit(admin_client, persona, description="Reads lists.")
    page = without_marks(admin_client.get(change_page(persona)))
    assert "<b>The frontmatter differs</b> from these fields: description." in page

    take_action(admin_client, "write_frontmatter", persona)

    persona.refresh_from_db()
    text = "---\nname: reader\ntools: Grep\ndescription: Reads lists.\n---\n\n"
    assert (persona.frontmatter, persona.number) == (text, 3)
