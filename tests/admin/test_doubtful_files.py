"""Files that are imported in the admin only if a person ticks them"""

import pytest

from catalogue.models import Persona, Skill
from importing.models import ImportRun
from tests.admin.actions import send
from tests.admin.files import PERSONAS, SKILLS, outcomes, upload, zip_of

pytestmark = pytest.mark.contract("28.6")
VALID = "---\nname: {}\ndescription: Does it.\n---\n\nDo it.\n"
TWICE = "---\nname: one\ndescription: A.\nhooks: 1\nhooks: 2\n---\n\nDo it.\n"
TWICE_REASON = (
    "line 5: a key that is no text, or that appears twice, so agents get all of its frontmatter "
    "written anew"
)
DOUBTFUL = {
    "no text": (
        "---\nname: one\ndescription: A.\n---\n\n",
        "line 5: no text follows the frontmatter",
    ),
    "a key twice": (TWICE, TWICE_REASON),
    "no end": (
        "---\nname: one\ndescription: A.\n\n# One\n\nDo it.\n",
        "line 5: no line of --- ends the frontmatter above this line, so agents get one",
    ),
}


def confirm(admin_client, to=SKILLS, **ticks):
    run = ImportRun.objects.get(finished_at=None)
    fields = {"all": "yes"} | ticks
    assert send(admin_client, f"{to}import/{run.pk}/", fields).status_code == 302
    run.refresh_from_db()
    return run


def reason(page):
    [outcome] = page.context["outcomes"]["refused"]
    return outcome.reason


@pytest.mark.parametrize(("text", "sentence"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_a_doubtful_file_is_refused(admin_client, text, sentence):
    page = upload(admin_client, zip_of({"one/SKILL.md": text, "two/SKILL.md": VALID.format("two")}))

    assert outcomes(page) == {"refused": ["one/SKILL.md"], "created": ["two/SKILL.md"]}
    assert reason(page) == sentence
    assert 'name="ticked" value="one/SKILL.md"' in page.content.decode()
    run = confirm(admin_client)
    assert (run.created, run.refused) == (1, 1)
    assert run.refusals == [["one/SKILL.md", sentence]]


@pytest.mark.parametrize(("text", "_"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_a_person_may_tick_it(admin_client, text, _):
    upload(admin_client, zip_of({"one/SKILL.md": text}))

    run = confirm(admin_client, ticked=["one/SKILL.md"])

    assert (run.created, run.refused) == (1, 0)
    skill = Skill.objects.get()
    assert (skill.content, skill.status) == (text, "published")


def test_another_file_is_not_ticked(admin_client):
    upload(admin_client, zip_of({"one/SKILL.md": TWICE}))

    assert confirm(admin_client, ticked=["two/SKILL.md", "SKILL.md"]).refused == 1


def test_a_persona_with_unreadable_frontmatter(admin_client):
    page = upload(admin_client, TWICE, name="one.md", to=PERSONAS)

    assert reason(page) == TWICE_REASON
    confirm(admin_client, to=PERSONAS, ticked=["one.md"])
    assert Persona.objects.get().is_published


def test_hidden_characters_cannot_be_ticked(admin_client):
    page = upload(admin_client, VALID.format("one") + "\U000e0068", name="SKILL.md")

    assert 'name="ticked"' not in page.content.decode()
    assert confirm(admin_client, ticked=["SKILL.md"]).refused == 1


def test_a_value_that_is_put_in_quotes_is_not_doubtful(admin_client):
    text = VALID.format("one").replace("Does it.", "Use when: always.")

    assert outcomes(upload(admin_client, text, name="SKILL.md")) == {"created": ["SKILL.md"]}


@pytest.mark.parametrize(
    "text", ["---\nname: one\n---\n\nDo it.\n", "---\nname: one\ndescription: ''\n---\n\nDo.\n"]
)
def test_a_file_without_a_description_becomes_a_draft(admin_client, text):
    page = upload(admin_client, zip_of({"one/SKILL.md": text, "two/SKILL.md": VALID.format("two")}))

    content = page.content.decode()
    assert content.count("It has no description, so it becomes a draft.") == 1
    assert 'name="published" value="one/SKILL.md"' in content
    confirm(admin_client)
    assert [skill.status for skill in Skill.objects.order_by("slug")] == ["draft", "published"]


def test_a_person_may_publish_it(admin_client):
    upload(admin_client, "---\nname: one\n---\n\nDo it.\n", name="one.md", to=PERSONAS)

    confirm(admin_client, to=PERSONAS, published=["one.md"])

    assert Persona.objects.get().status == "published"


def test_a_published_entry_stays_published(admin_client):
    upload(admin_client, VALID.format("one"), name="SKILL.md")
    confirm(admin_client)

    upload(admin_client, "---\nname: one\n---\n\nDo it.\n", name="SKILL.md")

    assert confirm(admin_client).updated == 1
    assert Skill.objects.get().status == "published"
