"""The catalogue of `make demo` imports without a warning, and shows every feature."""

import tomllib

import pytest

from demo.postgres import CHECKOUT
from tests.factories import ABOUT
from tests.imports import PERSONAS, SKILLS, import_personas, import_skills, served

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


@pytest.mark.parametrize("endpoint", [SKILLS, PERSONAS])
def test_every_slug_is_its_files_name(entries, endpoint):
    names = {path.parent.name if endpoint == SKILLS else path.stem for path in FILES[endpoint]}

    assert {entry["slug"] for entry in entries[endpoint]} == names


@pytest.mark.usefixtures("demo")
def test_a_search_for_a_category_shows_what_is_about_it_first(anyone):
    rows = anyone.get(SKILLS, {"q": "data"}).json()["results"]

    first = [row["slug"] for row in rows[:4]]
    assert first == ["chart-choice", "polite-web-scraping", "pdf-tables", "json-schema-contracts"]
    assert {row["slug"] for row in rows} >= {"postgres-query-plans", "zero-downtime-migrations"}


def test_there_is_enough_to_page_through(entries):
    assert len(entries[SKILLS]) >= 35
    assert len(entries[PERSONAS]) >= 15


def test_there_are_eight_categories(entries):
    assert len({entry["category"] for entry in entries[SKILLS]}) >= 8


@pytest.mark.parametrize("endpoint", [SKILLS, PERSONAS])
def test_no_field_is_left_out(entries, endpoint):
    fields = ABOUT.keys() - {"runtimes"}

    assert [
        (entry["slug"], name) for entry in entries[endpoint] for name in fields if not entry[name]
    ] == []


def test_some_personas_have_a_price_and_most_have_none(entries):
    free = [entry["isFree"] for entry in entries[PERSONAS]]

    assert 0 < free.count(False) < free.count(True)


def test_most_personas_bundle_skills(entries):
    bundling = [entry for entry in entries[PERSONAS] if entry["skills"]]

    assert len(bundling) > len(entries[PERSONAS]) / 2


def test_every_entry_has_content(entries):
    short = [
        entry["slug"]
        for entry in entries[SKILLS] + entries[PERSONAS]
        if entry["contextTokens"] < 100
    ]

    assert short == []


@pytest.mark.parametrize("endpoint", [SKILLS, PERSONAS])
def test_every_entry_is_found_by_its_title(anyone, entries, endpoint):
    for entry in entries[endpoint]:
        response = anyone.get(endpoint, {"q": entry["title"], "limit": "10"})
        assert entry["slug"] in [row["slug"] for row in response.json()["results"]]


def test_a_second_import_changes_nothing(demo):
    again = [
        import_skills(FOLDERS[SKILLS], source="demo"),
        import_personas(FOLDERS[PERSONAS], source="demo"),
    ]

    assert [outcome.summary for outcome in again] == [
        f"skills: 0 created, 0 updated, {len(FILES[SKILLS])} unchanged, 0 refused",
        f"personas: 0 created, 0 updated, {len(FILES[PERSONAS])} unchanged, 0 refused",
    ]


def test_a_skill_is_a_folder(entries):
    files = {skill["slug"]: skill["files"] for skill in entries[SKILLS]}

    assert [file["path"] for file in files["pdf-tables"]] == ["scripts/extract.py"]
    assert len(files["dockerfile-build"]) == 10


def test_every_entry_has_the_license_of_the_repository(entries):
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    licenses = {entry["license"] for kind in entries.values() for entry in kind}

    assert licenses == {project["license"]}
