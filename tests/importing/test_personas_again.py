"""import_personas: bundles, importing again, and collisions."""

import pytest
from django.db.models import F, signals

from catalogue.models import Persona
from importing import base as importing
from importing.importers import PersonaImporter
from tests.factories import SkillFactory
from tests.imports import (
    PERSONAS,
    import_personas,
    import_skills,
    persona,
    receiving,
    served,
    skill,
    slugs,
)

pytestmark = pytest.mark.django_db

UNCHANGED = "personas: 0 created, 0 updated, 1 unchanged, 0 refused"
UPDATED = "personas: 0 created, 1 updated, 0 unchanged, 0 refused"


def archivist(tmp_path, *lines, **body):
    return persona(tmp_path / "archivist.md", "name: archivist", *lines, **body)


def bundled(anyone, slug="archivist"):
    return [row["slug"] for row in served(anyone, slug, PERSONAS)["skills"]]


@pytest.mark.parametrize(
    "lines",
    [["skills: [csv, pdf]"], ["skills: pdf, csv"], ["skills:", "  - pdf", "  - csv", "  - pdf"]],
)
def test_a_persona_bundles_the_skills_it_names(anyone, tmp_path, lines):
    for slug in ("csv", "pdf", "other"):
        SkillFactory(slug=slug)
    archivist(tmp_path, *lines)

    outcome = import_personas(tmp_path)

    assert bundled(anyone) == ["csv", "pdf"]
    assert served(anyone, "pdf")["personas"] == [{"slug": "archivist", "title": "Archivist"}]
    assert outcome.notes == []


@pytest.mark.contract("23.7")
def test_a_bundled_skill_that_does_not_exist_is_reported_and_left_out(anyone, tmp_path):
    SkillFactory(slug="pdf")
    file = archivist(tmp_path, "skills: [pdf, nonsense, also-none]")

    outcome = import_personas(tmp_path)

    assert bundled(anyone) == ["pdf"]
    assert outcome.status == 0
    assert outcome.lines == ["personas: 1 created, 0 updated, 0 unchanged, 0 refused"]
    assert outcome.found("unknown-skill") == [
        f"{file}: no published skill is called also-none",
        f"{file}: no published skill is called nonsense",
    ]


def test_an_invalid_slug_is_left_out_of_a_bundle(anyone, tmp_path):
    archivist(tmp_path, "skills: [../../pdf, 表, 'A B']")

    outcome = import_personas(tmp_path)

    assert bundled(anyone) == []
    assert len(outcome.found("unknown-skill")) == 3


def test_a_bundled_skill_that_comes_later_is_added_by_the_next_run(anyone, tmp_path):
    archivist(tmp_path, "skills: [pdf]")
    import_personas(tmp_path)
    SkillFactory(slug="pdf")

    import_personas(tmp_path)

    assert bundled(anyone) == ["pdf"]


@pytest.mark.parametrize(
    "lines",
    [["skills: [csv]"], ["skills: [pdf, csv]"], ["skills: []"], ["skills: [csv]", "title: New"]],
)
def test_another_bundle_is_a_change(anyone, tmp_path, lines):
    for slug in ("csv", "pdf"):
        SkillFactory(slug=slug)
    archivist(tmp_path, "skills: [pdf]")
    import_personas(tmp_path)
    before = served(anyone, "archivist", PERSONAS)
    archivist(tmp_path, *lines)

    outcome = import_personas(tmp_path)

    after = served(anyone, "archivist", PERSONAS)
    assert after["skills"] != before["skills"]
    assert outcome.summary == UPDATED
    assert after["updatedAt"] > before["updatedAt"]


def test_a_draft_skill_is_bundled_once_it_is_published(anyone, tmp_path):
    skill(tmp_path / "skills" / "pdf")
    archivist(tmp_path / "personas", "skills: [pdf]")
    import_skills(tmp_path / "skills", draft=True)
    import_personas(tmp_path / "personas")
    assert bundled(anyone) == []

    import_skills(tmp_path / "skills")

    assert bundled(anyone) == ["pdf"]


def test_importing_personas_again_changes_nothing(anyone, tmp_path):
    SkillFactory(slug="pdf")
    archivist(tmp_path, "skills: [pdf]", "priceCents: 0", "tags: a, b", "version: 1.0")
    import_personas(tmp_path)
    before = served(anyone, "archivist", PERSONAS)

    outcome = import_personas(tmp_path)

    assert outcome.lines == [UNCHANGED]
    assert served(anyone, "archivist", PERSONAS) == before


@pytest.mark.parametrize("line", ["title: New", "description: New", "tags: new", "priceCents: 5"])
def test_a_changed_file_updates_its_persona(anyone, tmp_path, line):
    archivist(tmp_path)
    import_personas(tmp_path)
    before = served(anyone, "archivist", PERSONAS)
    archivist(tmp_path, line)

    outcome = import_personas(tmp_path)

    after = served(anyone, "archivist", PERSONAS)
    assert outcome.lines == [UPDATED]
    assert after["updatedAt"] > before["updatedAt"]
    assert (after["personaId"], after["createdAt"]) == (before["personaId"], before["createdAt"])


def test_an_update_keeps_the_installs_and_reviews_that_happen_meanwhile(anyone, tmp_path):
    archivist(tmp_path)
    import_personas(tmp_path)
    archivist(tmp_path, "title: New")

    def meanwhile(**_):
        Persona.objects.update(installs=F("installs") + 1, rating_sum=4, rating_count=1)

    with receiving(signals.pre_save, Persona, meanwhile):
        import_personas(tmp_path)

    detail = served(anyone, "archivist", PERSONAS)
    assert (detail["title"], detail["installs"]) == ("New", 1)
    assert (detail["ratingAvg"], detail["ratingCount"]) == (4, 1)


def test_an_interrupted_import_of_personas_completes_when_run_again(anyone, tmp_path, monkeypatch):
    SkillFactory(slug="pdf")
    for name in ("a", "b", "c"):
        persona(tmp_path / f"{name}.md", f"name: {name}", "skills: [pdf]")

    save_bundle = PersonaImporter.save_bundle

    def interrupt_at_b(importer, file, entry):
        if entry.slug == "b":
            raise KeyboardInterrupt
        return save_bundle(importer, file, entry)

    monkeypatch.setattr(importing, "BATCH", 1)
    monkeypatch.setattr(PersonaImporter, "save_bundle", interrupt_at_b)
    stopped = import_personas(tmp_path)
    monkeypatch.undo()
    assert stopped.summary == "personas: stopped after 1 of 3 files"
    assert slugs(anyone, PERSONAS) == ["a"]

    outcome = import_personas(tmp_path)

    assert outcome.summary == "personas: 2 created, 0 updated, 1 unchanged, 0 refused"
    assert [bundled(anyone, slug) for slug in "abc"] == [["pdf"]] * 3


def test_a_skill_and_a_persona_may_share_a_slug(anyone, tmp_path):
    SkillFactory(slug="archivist")
    archivist(tmp_path)

    import_personas(tmp_path)

    assert slugs(anyone, PERSONAS) == slugs(anyone) == ["archivist"]


def test_a_colliding_newcomers_slug_names_its_owner_and_stays(anyone, tmp_path):
    archivist(tmp_path / "alice", body="Alices.")
    file = archivist(tmp_path / "bob", body="Bobs.")

    outcome = import_personas(tmp_path)

    assert slugs(anyone, PERSONAS) == ["archivist", "archivist-bob"]
    assert served(anyone, "archivist-bob", PERSONAS)["content"] == "Bobs.\n"
    assert outcome.notes == [f"{file}: the slug archivist is taken, imported as archivist-bob"]
    assert import_personas(tmp_path / "bob", tmp_path / "alice").lines == [
        "personas: 0 created, 0 updated, 2 unchanged, 0 refused"
    ]
