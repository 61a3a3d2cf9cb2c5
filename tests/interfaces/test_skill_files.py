"""SKILL.md files: readable whatever is stored, and as they are stored if that is readable."""

from hashlib import sha256

import pytest
import yaml

from tests.factories import SkillFactory
from tests.importing.test_real_files import DATA
from tests.imports import SKILLS, import_skills
from tests.interfaces.skill_files import INDEX, file_of, problems

NEITHER = ["name", "description"]


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    "frontmatter",
    [
        "name: pdf-tables\ndescription: Reads tables. Use it when there are some, at 10:30 too.",
        'license: MIT\nname: pdf-tables\ndescription: "Reads: tables"\ncompatibility: Linux',
        "name: pdf-tables\ndescription: >-\n  Reads\n  tables.\nmetadata:\n  version: '1.10'",
        "name: pdf-tables\ndescription: Reads.\ndisable-model-invocation: true\nhooks: {a: [b]}",
        "# c\nname: 'pdf-tables' # d\ndescription: |\n  Reads.\n\nallowed-tools: [Read, 'a --- b']",
        f"name: pdf-tables\ndescription: {'x' * 2000}\nmetadata:\n  on: [1]\nlicense:",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_readable_file_is_served_as_it_is(anyone, frontmatter, newline, mark):
    content = f"---\n{frontmatter}\n---\n\n# Tables\n\n\nRead them.\n\n"
    content = mark + content.replace("\n", newline)
    skill = SkillFactory(slug="pdf-tables", content=content)

    assert anyone.get(f"{SKILLS}/pdf-tables/SKILL.md").content == content.encode()
    assert anyone.get(f"{SKILLS}/pdf-tables").json()["content"] == content
    assert skill.digest == f"sha256:{sha256(content.encode()).hexdigest()}"
    assert skill.repaired.repairs == []


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    ("content", "repairs"),
    [
        pytest.param("No frontmatter. Do.", ["frontmatter"], id="none"),
        pytest.param("", ["frontmatter"], id="nothing at all"),
        pytest.param("---\nname: Other Name\ndescription: x\n---\nDo.", ["name"], id="a name"),
        pytest.param("---\nuser-invocable: true\n---\nDo.", NEITHER, id="other fields"),
        pytest.param("---\nmetadata: {a: [1, {b: c}]}\n---\nDo.", NEITHER, id="flow style"),
        pytest.param("---\nname: a\na: &a x\nb: *a\n---\nDo.", NEITHER, id="anchors"),
        pytest.param("---\nname: x: y: z\n  - b\n---\nDo.", [*NEITHER, "quoting"], id="no YAML"),
        pytest.param("---\nname: some\ndescription: a: b\n---\nDo.", ["quoting"], id="a colon"),
        pytest.param(
            "---\nname: some\ndescription: x\nname: some\n---\nDo.", ["frontmatter"], id="twice"
        ),
        pytest.param(
            "---\nname: some\ndescription:\n  a: b\n---\nDo.", ["description"], id="a mapping"
        ),
        pytest.param("---\nname: some\ndescription: ''\n---\nDo.", ["description"], id="empty"),
        pytest.param("---\nname: some\ndescription: ~\n---\nDo.", ["description"], id="null"),
        pytest.param("---\nname: some\ndescription: 1e5\n---\nDo.", ["quoting"], id="a number"),
    ],
)
def test_every_stored_text_is_served_as_a_readable_file(anyone, content, repairs):
    skill = SkillFactory(slug="some", content=content)

    text = file_of(anyone, "some")

    assert problems(text, "some") == []
    assert text.endswith("Do.") or "Do." not in content
    assert skill.repaired.repairs == repairs


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    "description",
    [
        "",
        "  ",
        "a --- b",
        "\N{PARTY POPPER}" * 1000,
        "x" * 5000,
        "- [x]: {y}",
        "null ",
        "a\uffffb\ufffe",
        "two\nlines",
        "'\"#",
    ],
)
def test_any_description_is_valid_and_the_same_in_file_and_index(anyone, description):
    SkillFactory(slug="some", title="Some --- skill", description=description, content="Do it.")

    text = file_of(anyone, "some")
    (entry,) = anyone.get(f"/skills/some{INDEX}").json()["skills"]

    assert problems(text, "some") == []
    fields = yaml.safe_load(text.split("---\n")[1])
    assert (entry["name"], entry["description"]) == (fields["name"], fields["description"])
    # The CLI counts as JavaScript does.
    assert 0 < len(entry["description"].encode("utf-16-le")) <= 2 * 1024


@pytest.mark.parametrize("slug", ["2048", "1e5", "null", "no", "2024-01-01", "0x1f"])
def test_a_slug_that_looks_like_no_text_is_one(anyone, slug):
    SkillFactory(slug=slug, content=f"---\nname: {slug}\ndescription: {slug}\n---\nDo.")

    (entry,) = anyone.get(f"/skills/{slug}{INDEX}").json()["skills"]

    assert entry["name"] == slug
    fields = yaml.safe_load(file_of(anyone, slug).split("---\n")[1])
    assert (fields["name"], fields["description"]) == (slug, entry["description"])


@pytest.mark.contract("22.13")
def test_a_name_is_cut_to_what_the_format_allows(anyone):
    slug = "a" * 63 + "-" + "b" * 36
    SkillFactory(slug=slug)

    (entry,) = anyone.get(f"/skills/{slug}{INDEX}").json()["skills"]

    assert entry["name"] == "a" * 63
    assert entry["url"] == f"/api/v1/skills/{slug}/SKILL.md"
    assert problems(file_of(anyone, slug), "a" * 63) == []


@pytest.mark.django_db
@pytest.mark.skipif(
    not (DATA / "MANIFEST.jsonl").exists(),
    reason=f"the real files are not at hand: no {DATA / 'MANIFEST.jsonl'}",
)
def test_every_real_skill_is_served_valid(anyone):
    import_skills(DATA / "skills")
    rows = anyone.get(SKILLS, {"limit": "100"}).json()["results"]

    by_slug = {row["slug"]: problems(file_of(anyone, row["slug"]), row["slug"]) for row in rows}

    assert len(by_slug) > 50
    assert {slug: wrong for slug, wrong in by_slug.items() if wrong} == {}
