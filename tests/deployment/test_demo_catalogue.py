"""The catalogue of `make demo` imports without a warning, and shows every feature."""

import tomllib

import pytest

from demo.postgres import CHECKOUT
from tests.factories import ABOUT
from tests.imports import PERSONAS, SKILLS, import_personas, import_skills, served

LICENSE = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["license"]
FOLDERS = {SKILLS: CHECKOUT / "demo" / "skills", PERSONAS: CHECKOUT / "demo" / "personas"}
FILES = {
    SKILLS: sorted(FOLDERS[SKILLS].glob("*/SKILL.md")),
    PERSONAS: sorted(FOLDERS[PERSONAS].glob("*.md")),
}


@pytest.fixture
def demo(db):
    return {
        SKILLS: import_skills(FOLDERS[SKILLS], source="demo"),
        PERSONAS: import_personas(FOLDERS[PERSONAS], source="demo"),
    }


@pytest.fixture
def entries(anyone, demo):
    """All entries of both kinds in detail."""
    return {
        endpoint: [
            served(anyone, row["slug"], endpoint)
            for row in anyone.get(endpoint, {"limit": "100"}).json()["results"]
        ]
        for endpoint in (SKILLS, PERSONAS)
    }


def test_every_file_is_imported_without_a_warning(demo):
    skills, personas = len(FILES[SKILLS]), len(FILES[PERSONAS])

    assert demo[SKILLS].lines == [f"skills: {skills} created, 0 updated, 0 unchanged, 0 refused"]
    assert demo[PERSONAS].lines == [
        f"personas: {personas} created, 0 updated, 0 unchanged, 0 refused"
    ]
    assert demo[SKILLS].status == demo[PERSONAS].status == 0


@pytest.mark.usefixtures("demo")
def test_a_search_for_a_category_shows_what_is_about_it_first(anyone):
    rows = anyone.get(SKILLS, {"q": "data"}).json()["results"]

    first = [row["slug"] for row in rows[:4]]
    assert first == ["chart-choice", "polite-web-scraping", "pdf-tables", "json-schema-contracts"]
    assert {row["slug"] for row in rows} >= {"postgres-query-plans", "zero-downtime-migrations"}


def test_every_entry_is_complete_and_found_by_its_title(anyone, entries):
    """One test, because importing them all takes a second."""
    for endpoint, rows in entries.items():
        assert {entry["license"] for entry in rows} == {LICENSE}
        for entry in rows:
            assert [name for name in ABOUT.keys() - {"runtimes"} if not entry[name]] == []
            found = anyone.get(endpoint, {"q": entry["title"], "limit": "10"}).json()["results"]
            assert entry["slug"] in [row["slug"] for row in found]
