"""Staff send a text to the desk instead of publishing it (contract 29.19)."""

import pytest

from catalogue.models import Persona, Skill
from submissions.models import Submission
from tests.admin.actions import told
from tests.browser import untouched_form
from tests.factories import PersonaFactory, SkillFactory
from tests.submissions.conftest import TEXT

pytestmark = pytest.mark.contract("29.19")


def page_of(entry):
    return f"/admin/catalogue/{entry.kind}/{entry.pk}/change/"


@pytest.fixture
def send(admin_client):
    """Edit an entry in its form, and press *Send to the desk*."""

    def send(entry, **fields):
        form = untouched_form(admin_client.get(page_of(entry))) | fields | {"_desk": "1"}
        return admin_client.post(page_of(entry), form, follow=True)

    return send


@pytest.fixture
def skill(db):
    return SkillFactory(
        slug="pdf-tables",
        title="PDF Tables",
        description="Reads tables.",
        category="",
        license="MIT",
        content=TEXT,
        files={"scripts/run.py": b"print()", "a.md": b"A"},
    )


def test_an_edited_skill_goes_to_the_desk_and_stays_as_it_is(send, skill, desk):
    response = send(skill, content=f"{TEXT}\nMore.\n", title="Tables of PDFs")

    skill.refresh_from_db()
    assert (skill.content, skill.title, skill.number) == (TEXT, "PDF Tables", 1)
    assert not skill.history.exists()
    submission = Submission.objects.get()
    assert (submission.author, submission.agent) == ("clerk-0", None)
    assert (submission.kind, submission.slug, submission.base_number) == ("skill", "pdf-tables", 1)
    assert "title: Tables of PDFs" in submission.content
    assert submission.content.endswith("\nMore.\n")
    assert [file["path"] for file in submission.files] == ["a.md", "scripts/run.py"]
    assert told(response) == ["pdf-tables is on the desk. The entry is unchanged."]
    assert response.context["original"] == submission

    desk.decide(response, "publish")

    skill.refresh_from_db()
    assert (skill.title, skill.number, len(skill.files)) == ("Tables of PDFs", 2, 2)
    assert skill.versions.get(number=2).submitted.submitted_by == "clerk-0"
    assert skill.source == ""


def test_staff_can_send_that_a_field_beside_the_file_is_empty(send, skill, desk):
    skill.tags = ["old"]
    skill.save()

    desk.decide(send(skill, tags=""), "publish")

    skill.refresh_from_db()
    assert (skill.tags, skill.content) == ([], TEXT)


def test_an_edited_persona_goes_to_the_desk(send, desk):
    skills = [SkillFactory(slug="one"), SkillFactory(slug="two")]
    persona = PersonaFactory(slug="archivist", skills=skills[:1], price_cents=500)

    response = send(persona, content="You keep all papers.", skills=[skill.pk for skill in skills])

    persona.refresh_from_db()
    assert persona.content == "Do it."
    assert [skill.slug for skill in persona.skills.all()] == ["one"]
    desk.decide(response, "publish")
    persona = Persona.objects.get()
    assert persona.content.strip() == "You keep all papers."
    assert [skill.slug for skill in persona.skills.order_by("slug")] == ["one", "two"]
    assert persona.price_cents == 500


def test_a_second_one_replaces_the_first(send, skill):
    send(skill, content=f"{TEXT}\nFirst.\n")
    send(skill, content=f"{TEXT}\nSecond.\n")

    states = dict(Submission.objects.values_list("state", "content"))
    assert states == {"replaced": None, "pending": f"{TEXT}\nSecond.\n"}


def test_a_form_with_mistakes_sends_nothing_and_keeps_what_was_typed(send, skill):
    response = send(skill, content="No frontmatter.", title="Another")

    page = response.content.decode()
    assert "Start with frontmatter" in page
    assert 'value="Another"' in page
    assert not Submission.objects.exists()
    assert Skill.objects.get().title == "PDF Tables"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Nothing was sent to the desk: you have changed nothing."),
        (
            {"slug": "other", "content": TEXT.replace("pdf-tables", "other")},
            "Nothing was sent to the desk: content: name must stay pdf-tables",
        ),
    ],
)
def test_what_changes_nothing_or_the_slug_is_not_sent(send, skill, fields, sentence):
    assert told(send(skill, **fields)) == [sentence]
    assert not Submission.objects.exists()
    assert Skill.objects.get().slug == "pdf-tables"


def test_only_published_entries_have_the_button(admin_client, skill, settings):
    def has_button():
        return 'name="_desk"' in admin_client.get(page_of(skill)).content.decode()

    assert has_button()
    page = admin_client.get(page_of(skill)).content.decode()
    assert page.index('name="_save"') < page.index('name="_desk"')  # Enter presses the first
    skill.redraft()
    assert not has_button()
    skill.publish()
    settings.SUBMISSIONS = "off"
    assert not has_button()
    response = admin_client.post(page_of(skill), {"_desk": "1"})
    assert response.status_code == 403
