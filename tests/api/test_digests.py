"""The digest of an entry covers exactly what agents get (contract 16.1)."""

from hashlib import sha256
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from catalogue import skill_md
from catalogue.models import Persona, Skill
from tests.api.concurrency import during
from tests.factories import PersonaFactory, SkillFactory

VALID = "---\nname: pdf\ndescription: Reads tables.\n---\n\nRéad them.\n"
SKILL, SKILLS = "/api/v1/skills/pdf", "/api/v1/skills"
FILE = f"{SKILL}/SKILL.md"


def digest(content):
    return f"sha256:{sha256(content).hexdigest()}"


@pytest.mark.contract("16.1")
@pytest.mark.parametrize("content", [VALID, "---\nname: PDF!\nallowed: 1\n---\nRead.", "Do it."])
def test_a_skills_digest_is_that_of_its_file(anyone, content):
    SkillFactory(slug="pdf", content=content)

    served = anyone.get(FILE).content

    assert anyone.get(SKILL).json()["digest"] == digest(served)
    assert anyone.get(SKILLS).json()["results"][0]["digest"] == digest(served)


@pytest.mark.contract("16.1")
def test_a_personas_digest_is_that_of_its_prompt(anyone):
    PersonaFactory(slug="archivist", content="Tidy ü.\n", price_cents=5)

    expected = digest("Tidy ü.\n".encode())
    assert anyone.get("/api/v1/personas/archivist").json()["digest"] == expected
    assert anyone.get("/api/v1/personas").json()["results"][0]["digest"] == expected


@pytest.mark.contract("16.3")
def test_it_moves_with_what_the_file_is_made_of_alone(anyone):
    skill = SkillFactory(slug="pdf", content="Do it.", description="Old.", author="Ada")
    before = anyone.get(SKILL).json()["digest"]

    skill.recall("Broken")
    skill.publish()
    Skill.objects.update(downloads=3)
    skill.author = "Grace"
    skill.save(update_fields=["author", "updated_at"])
    unchanged = anyone.get(SKILL).json()["digest"]
    skill.description = "New."
    skill.save(update_fields=["description", "updated_at"])

    assert unchanged == before
    assert anyone.get(SKILL).json()["digest"] == digest(anyone.get(FILE).content) != before


@pytest.mark.contract("16.3")
def test_a_release_that_writes_frontmatter_differently_changes_no_file(anyone, monkeypatch):
    skill = SkillFactory(slug="pdf", content="Do it.")
    before = anyone.get(FILE).content, anyone.get(SKILL).json()["digest"]

    monkeypatch.setattr(skill_md, "plain", lambda text: text.upper())
    skill.withdraw()
    skill.publish()

    assert (anyone.get(FILE).content, anyone.get(SKILL).json()["digest"]) == before


def test_sql_cannot_change_what_follows_from_the_text(anyone):
    skill = SkillFactory(slug="pdf-tables", content="# PDF")
    before = anyone.get("/api/v1/skills/pdf-tables").json()

    Skill.objects.update(digest="sha256:0", context_tokens=9, number=7)

    assert anyone.get("/api/v1/skills/pdf-tables").json() == before
    assert (before["digest"], before["contextTokens"], before["number"]) == (skill.digest, 2, 1)


def test_an_install_does_not_compute_it_again(client):
    skill = SkillFactory()
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION catalogue_digest(text, jsonb) CASCADE")

    response = client.post("/api/v1/agents/me/skills/install", {"slug": skill.slug})

    assert (response.status_code, response.json()["digest"]) == (201, skill.digest)


@pytest.mark.contract("16.3")
@pytest.mark.django_db
def test_an_import_keeps_it_until_the_file_changes(tmp_path):
    files = {
        tmp_path / "pdf" / "SKILL.md": "---\nname: Pdf\ndescription: Reads.\nx: y\n---\nRead it.",
        tmp_path / "archivist.md": "---\nname: archivist\n---\nTidy.",
    }

    def digests():
        for file, text in files.items():
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        call_command("import_skills", tmp_path / "pdf", stdout=StringIO())
        call_command("import_personas", tmp_path / "archivist.md", stdout=StringIO())
        return Skill.objects.get().digest, Persona.objects.get().digest

    first = digests()
    assert digests() == first
    files = {file: f"{text} More." for file, text in files.items()}
    assert not set(digests()) & set(first)
    assert Skill.objects.get().digest == digest(Skill.objects.get().file_text.encode())


def test_two_saves_at_once_make_the_file_of_both(transactional_db, anyone):
    skill = SkillFactory(slug="pdf", content="Do it.")
    other = Skill.objects.get()

    def edit():
        skill.content = "Do it better."
        skill.save(update_fields=["content", "updated_at"])

    def describe():
        other.description = "Made by Grace."
        other.save(update_fields=["description", "updated_at"])

    during(edit, describe)

    file = anyone.get(FILE).content
    assert b"Do it better." in file
    assert b"Grace" in file
    assert anyone.get(SKILL).json()["digest"] == digest(file)
    assert anyone.get(SKILL).json()["content"] == "Do it better."
