"""import_skills: labels come in one spelling, the first one of the catalogue (contract 8.21)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Skill
from importing.exports import as_file, differing_fields
from tests.factories import PersonaFactory, SkillFactory
from tests.imports import PERSONAS, import_personas, import_skills, persona, served, skill

pytestmark = pytest.mark.django_db
LINES = [
    "category: DATA",
    "tags: [Pdf, csv, CSV]",
    "runtimes: [PYTHON]",
    "author: ada",
    "license: mit",
]
KNOWN = {
    "category": "Data",
    "tags": ["PDF"],
    "runtimes": ["python"],
    "author": "Ada",
    "license": "MIT",
}
SPELLED = KNOWN | {"tags": ["PDF", "csv"]}


def labels(detail):
    return {name: detail[name] for name in SPELLED}


@pytest.mark.contract("8.21")
def test_a_label_takes_the_spelling_of_the_catalogue(anyone, tmp_path):
    SkillFactory(**KNOWN)
    PersonaFactory(**KNOWN)
    skill(tmp_path / "pdf", "name: pdf", *LINES)
    persona(tmp_path / "role.md", "name: role", *LINES)

    import_skills(tmp_path)
    import_personas(tmp_path / "role.md")

    assert labels(served(anyone, "pdf")) == SPELLED
    assert labels(served(anyone, "role", PERSONAS)) == SPELLED


@pytest.mark.contract("8.21")
def test_the_first_spelling_of_an_import_stays(anyone, tmp_path):
    for name, tag in (("a", "Pdf"), ("b", "PDF"), ("c", "pdf")):
        skill(tmp_path / name, f"name: {name}", f"tags: [{tag}]")

    import_skills(tmp_path)

    assert [served(anyone, slug)["tags"] for slug in "abc"] == [["Pdf"]] * 3


@pytest.mark.contract("8.21")
def test_drafts_spell_nothing(anyone, tmp_path):
    SkillFactory(tags=["PDF"], status="draft")
    skill(tmp_path / "pdf", "name: pdf", "tags: [pdf]")

    import_skills(tmp_path)

    assert served(anyone, "pdf")["tags"] == ["pdf"]


@pytest.mark.contract("8.21", "23.4")
def test_a_file_with_another_spelling_changes_nothing_again(tmp_path):
    SkillFactory(**KNOWN)
    skill(tmp_path / "pdf", "name: pdf", *LINES)
    import_skills(tmp_path)
    before = Skill.objects.get(slug="pdf")

    outcome = import_skills(tmp_path)

    assert outcome.summary == "skills: 0 created, 0 updated, 1 unchanged, 0 refused"
    after = Skill.objects.get(slug="pdf")
    assert after.updated_at == before.updated_at
    # Its file says the same as its fields, so it is exported as it is.
    assert differing_fields(after) == []
    assert as_file(after) == (tmp_path / "pdf" / "SKILL.md").read_text()


@pytest.mark.contract("8.21")
def test_authors_in_nfd_and_nfc_are_one(anyone, tmp_path):
    skill(tmp_path / "a", "name: a", "author: J\u00f6rg", "tags: [\u00e9t\u00e9]")
    skill(tmp_path / "b", "name: b", "author: Jo\u0308rg", "tags: [e\u0301te\u0301]")

    import_skills(tmp_path)

    for author in ("J\u00f6rg", "Jo\u0308rg", "j\u00f6rg"):
        assert anyone.get("/api/v1/skills", {"author": author}).json()["count"] == 2
    assert served(anyone, "b")["tags"] == ["\u00e9t\u00e9"]


def test_spellings_take_one_statement_for_a_batch(tmp_path):
    def statements_for(names):
        with CaptureQueriesContext(connection) as queries:
            import_skills(*(tmp_path / name for name in names))
        return sum("catalogue_keys(ARRAY" in query["sql"] for query in queries.captured_queries)

    for number in range(6):
        skill(tmp_path / f"{number}", f"name: s{number}", f"tags: [tag{number}]")

    assert statements_for("012345") == 1
