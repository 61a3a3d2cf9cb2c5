"""manage.py import_skills: the files that it imports, its results, and its output."""

import json

import pytest
from django.core.management import CommandError

from tests.factories import ABOUT_SKILL
from tests.imports import SKILLS, import_skills, markdown, served, skill, slugs, write

pytestmark = pytest.mark.django_db

TOP_LEVEL = "description", "license"  # fields of the format itself
EVERY_FIELD = [
    f"{name}: {json.dumps(value)}" for name, value in ABOUT_SKILL.items() if name not in TOP_LEVEL
]


@pytest.mark.contract("23.1")
def test_every_folder_that_holds_a_skill_md_becomes_a_skill(anyone, tmp_path):
    skill(tmp_path / "one")
    skill(tmp_path / "deep" / "er" / "two")
    skill(tmp_path / "deep" / "er" / "two" / "inner" / "three")
    write(tmp_path / "one" / "references" / "more.md", "---\nname: more\n---\nText.")

    outcome = import_skills(tmp_path)

    assert slugs(anyone) == ["one", "three", "two"]
    assert outcome.lines == [
        f"note: {tmp_path / 'deep/er/two/SKILL.md'}: its files include other skills: inner/three",
        "skills: 3 created, 0 updated, 0 unchanged, 0 refused",
    ]
    assert outcome.status == 0


@pytest.mark.contract("23.1")
def test_the_api_serves_every_field_of_a_skill_file(anyone, tmp_path):
    file = skill(
        tmp_path / "any-folder",
        "name: pdf-tables",
        "description: Extracts tables.",
        "license: MIT",
        *EVERY_FIELD,
        body="# How\n\nRun it.",
    )

    import_skills(tmp_path)

    detail = served(anyone, "pdf-tables")
    assert detail.pop("skillId").startswith("skill_")
    assert detail.pop("createdAt") <= detail.pop("updatedAt")
    assert detail.pop("digest").startswith("sha256:")
    assert detail == {
        "slug": "pdf-tables",
        **ABOUT_SKILL,
        "number": 1,
        "deprecation": None,
        "downloads": 0,
        "contextTokens": -(-len(file.read_text()) // 4),
        "content": file.read_text(),
        "files": [],
        "personas": [],
    }


@pytest.mark.contract("23.1")
def test_the_fields_may_stand_under_metadata(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf", "metadata:", *(f"  {line}" for line in EVERY_FIELD))

    import_skills(tmp_path)

    detail = served(anyone, "pdf")
    expected = {name: value for name, value in ABOUT_SKILL.items() if name not in TOP_LEVEL}
    assert {name: detail[name] for name in expected} == expected


def test_the_name_and_description_are_the_top_level_ones(anyone, tmp_path):
    skill(
        tmp_path / "pdf",
        "name: pdf-tables",
        "description: Extracts tables.",
        "metadata:",
        "  name: The brand behind it",
        "  description: A company.",
    )

    import_skills(tmp_path)

    assert served(anyone, "pdf-tables")["description"] == "Extracts tables."


@pytest.mark.contract("23.7")
@pytest.mark.parametrize(
    "lines",
    [
        ["tags: [pdf, tables]"],
        ["tags:", "  - pdf", "  - tables"],
        ["tags: pdf, tables"],
        ["tags: 'pdf,tables,'"],
        ["tags: pdf, tables, pdf"],
        ['tags: "[pdf, tables]"'],
        ["metadata:", "  tags: pdf, tables"],
    ],
)
def test_tags_are_a_list_or_a_comma_separated_string(anyone, tmp_path, lines):
    skill(tmp_path / "pdf", "name: pdf", *lines)

    import_skills(tmp_path)

    assert served(anyone, "pdf")["tags"] == ["pdf", "tables"]


def test_runtimes_may_be_a_comma_separated_string(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf", "runtimes: python, node")

    import_skills(tmp_path)

    assert served(anyone, "pdf")["runtimes"] == ["python", "node"]


@pytest.mark.contract("23.7")
def test_a_missing_title_is_made_from_the_slug(anyone, tmp_path):
    skill(tmp_path / "x", "name: pdf-tables")

    import_skills(tmp_path)

    assert served(anyone, "pdf-tables")["title"] == "PDF Tables"


@pytest.mark.contract("8.15")
def test_a_missing_text_is_empty(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf", "description:", "license: null", "version: ~")

    import_skills(tmp_path)

    detail = served(anyone, "pdf")
    texts = ("description", "license", "version", "author", "category")
    assert [detail[name] for name in texts] == [""] * 5
    assert detail["tags"] == detail["runtimes"] == []


@pytest.mark.contract("23.1")
def test_a_missing_name_is_the_folders(anyone, tmp_path):
    skill(tmp_path / "PDF Tables", "description: Extracts tables.")

    import_skills(tmp_path)

    assert slugs(anyone) == ["pdf-tables"]


def test_a_name_that_makes_no_slug_gives_way_to_the_folders(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: 🎉")

    import_skills(tmp_path)

    assert slugs(anyone) == ["pdf"]


@pytest.mark.contract("23.1")
@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("PDF-Tables", "pdf-tables"),
        ("PDF Tables", "pdf-tables"),
        ("pdf_tables", "pdf-tables"),
        ("  pdf -- tables!  ", "pdf-tables"),
        ("Café Tools", "cafe-tools"),
        ("2024-01-31", "2024-01-31"),
        ("stitch::upload-to-stitch", "stitch-upload-to-stitch"),
        ("docs/pdf", "docs-pdf"),
        ("x" * 80, "x" * 64),
    ],
)
def test_a_name_becomes_the_nearest_slug(anyone, tmp_path, name, slug):
    skill(tmp_path / "folder", f"name: '{name}'")

    import_skills(tmp_path)

    assert slugs(anyone) == [slug]


@pytest.mark.parametrize("name", ["SKILL.md", "skill.md", "Skill.md", "SKILL.MD"])
def test_the_files_name_is_read_in_any_case(anyone, tmp_path, name):
    markdown(tmp_path / "pdf" / name, ["name: pdf"], "Do it.")

    import_skills(tmp_path)

    assert slugs(anyone) == ["pdf"]


@pytest.mark.contract("23.3")
def test_a_draft_import_publishes_nothing_new(anyone, tmp_path):
    skill(tmp_path / "pdf")

    outcome = import_skills(tmp_path, draft=True)

    assert slugs(anyone) == []
    assert anyone.get(f"{SKILLS}/pdf").status_code == 404
    assert outcome.lines[-1].endswith("0 refused. Staff can publish the drafts in the admin.")


def test_an_import_publishes_what_was_a_draft(anyone, tmp_path):
    skill(tmp_path / "pdf")
    import_skills(tmp_path, draft=True)

    import_skills(tmp_path)

    assert slugs(anyone) == ["pdf"]


def test_a_draft_import_takes_nothing_back(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf", "title: Old")
    import_skills(tmp_path)
    skill(tmp_path / "pdf", "name: pdf", "title: New")

    import_skills(tmp_path, draft=True)

    assert served(anyone, "pdf")["title"] == "New"


def test_several_paths_are_imported_and_summed_up_as_one(anyone, tmp_path):
    skill(tmp_path / "a" / "one")
    skill(tmp_path / "b" / "two")
    skill(tmp_path / "c" / "three")

    outcome = import_skills(tmp_path / "a", tmp_path / "b")

    assert slugs(anyone) == ["one", "two"]
    assert outcome.lines == ["skills: 2 created, 0 updated, 0 unchanged, 0 refused"]


def test_a_path_may_be_the_skills_own_folder(anyone, tmp_path, monkeypatch):
    skill(tmp_path / "pdf", "description: Extracts tables.")
    monkeypatch.chdir(tmp_path / "pdf")

    import_skills(".")

    assert slugs(anyone) == ["pdf"]


def test_the_path_may_be_one_skill_file(anyone, tmp_path):
    skill(tmp_path / "two")

    outcome = import_skills(skill(tmp_path / "one"))

    assert slugs(anyone) == ["one"]
    assert outcome.lines == ["skills: 1 created, 0 updated, 0 unchanged, 0 refused"]


def test_a_missing_path_is_named_before_anything_is_imported(anyone, tmp_path):
    skill(tmp_path / "pdf")

    with pytest.raises(CommandError, match="nowhere does not exist"):
        import_skills(tmp_path, tmp_path / "nowhere")

    assert slugs(anyone) == []


def test_a_folder_without_skills_imports_none(anyone, tmp_path):
    outcome = import_skills(tmp_path)

    assert outcome.summary == "skills: 0 created, 0 updated, 0 unchanged, 0 refused"
    assert outcome.lines[-1].endswith(". No SKILL.md was found.")
    assert outcome.status == 0


@pytest.mark.parametrize("folder", [".git", "node_modules", "__pycache__"])
def test_folders_of_tools_are_left_out(anyone, tmp_path, folder):
    skill(tmp_path / folder / "pdf")

    assert import_skills(tmp_path).summary.startswith("skills: 0 created")
