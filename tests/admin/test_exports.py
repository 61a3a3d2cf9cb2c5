"""Staff export entries as files that can be imported again"""

import io
import zipfile

import pytest

from catalogue.models import Persona, Skill
from importing import exports
from tests.admin.files import PERSONAS, SKILL_MD, SKILLS, confirm, outcomes, upload
from tests.cleanup import forget_versions
from tests.factories import ABOUT, ABOUT_SKILL, PersonaFactory, SkillFactory


def exported(admin_client, to=SKILLS):
    response = admin_client.get(f"{to}export/")
    assert response["Content-Type"] == "application/zip"
    return b"".join(response.streaming_content)


def names_in(data):
    return zipfile.ZipFile(io.BytesIO(data)).namelist()


def fields_of(model, about):
    names = about.keys() - {"description"}  # a made frontmatter has it in one line
    return set(map(str, model.objects.values("slug", *names)))


@pytest.fixture
def odd_catalogue(db):
    """Entries whose fields and texts disagree, as staff and the API have left them."""
    odd = "Colons: yes, “quotes”, #hash, - dash"
    skills = [
        SkillFactory(slug="plain", content=SKILL_MD.format("plain")),
        SkillFactory(slug="renamed", title=odd, content=SKILL_MD.format("other-name")),
        SkillFactory(slug="bare", content="\n\n    No frontmatter.\n\n", description="Two\nlines."),
        SkillFactory(
            slug="rich",
            **ABOUT_SKILL | {"tags": ["a b", "c"]},
            content="---\nname: rich\nmetadata:\n  title: Old\n  mood: good\n---\nBody\n",
        ),
        SkillFactory(slug="broken", content="---\nname: [broken\n---\nBody"),
    ]
    PersonaFactory(slug="scribe", skills=skills[:2], content="\nYou write.\n\n", title=odd)
    PersonaFactory(slug="priced", price_cents=1050, content="---\nno: frontmatter")


@pytest.mark.usefixtures("odd_catalogue")
@pytest.mark.parametrize("to", [SKILLS, PERSONAS])
def test_importing_an_export_changes_nothing(admin_client, to):
    rows = {model: list(model.objects.order_by("pk").values()) for model in (Skill, Persona)}
    data = exported(admin_client, to)

    page = upload(admin_client, data, to=to)
    assert list(outcomes(page)) == ["unchanged"]
    confirm(admin_client, to)

    assert {model: list(model.objects.order_by("pk").values()) for model in rows} == rows
    assert exported(admin_client, to) == data or names_in(exported(admin_client, to)) == names_in(
        data
    )


@pytest.mark.usefixtures("odd_catalogue")
def test_into_an_empty_catalogue_it_brings_the_same_fields(admin_client):
    skills, personas = exported(admin_client), exported(admin_client, PERSONAS)
    before = [fields_of(Skill, ABOUT_SKILL), fields_of(Persona, ABOUT)]
    prices = dict(Persona.objects.values_list("slug", "price_cents"))
    bundles = {
        persona.slug: {s.slug for s in persona.skills.all()} for persona in Persona.objects.all()
    }
    forget_versions()
    Persona.objects.all().delete()
    Skill.objects.all().delete()

    for data, to in ((skills, SKILLS), (personas, PERSONAS)):
        upload(admin_client, data, to=to)
        confirm(admin_client, to)

    assert [fields_of(Skill, ABOUT_SKILL), fields_of(Persona, ABOUT)] == before
    assert dict(Persona.objects.values_list("slug", "price_cents")) == prices
    assert {
        persona.slug: {s.slug for s in persona.skills.all()} for persona in Persona.objects.all()
    } == bundles
    assert list(outcomes(upload(admin_client, skills))) == ["unchanged"]


def test_a_long_slug_is_found_again(admin_client):
    SkillFactory(slug="a" * 100, content=SKILL_MD.format("a" * 100))

    assert list(outcomes(upload(admin_client, exported(admin_client)))) == ["unchanged"]


def test_selected_entries_are_exported(admin_client):
    one, _ = SkillFactory(slug="one"), SkillFactory(slug="two")

    response = admin_client.post(SKILLS, {"action": "export", "_selected_action": [one.pk]})

    assert names_in(b"".join(response.streaming_content)) == ["one/SKILL.md"]


def test_more_than_a_batch_is_exported_whole(admin_client, monkeypatch):
    monkeypatch.setattr(exports, "BATCH", 2)
    SkillFactory.create_batch(5)

    assert len(names_in(exported(admin_client))) == 5
