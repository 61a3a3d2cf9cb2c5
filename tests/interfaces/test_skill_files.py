"""SKILL.md files: valid whatever is stored, and as they are stored if that is valid."""

import pytest
import yaml
from skills_ref.parser import parse_frontmatter

from tests.factories import SkillFactory
from tests.importing.test_real_files import DATA
from tests.imports import SKILLS, import_skills
from tests.interfaces.skill_files import INDEX, file_of, problems


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    "frontmatter",
    [
        "name: pdf-tables\ndescription: Reads tables. Use it when there are some, at 10:30 too.",
        'license: MIT\nname: pdf-tables\ndescription: "Reads: tables"\ncompatibility: Linux',
        "name: pdf-tables\ndescription: Reads.\nmetadata:\n  author: me\n  version: '1.10'",
    ],
)
def test_a_valid_file_is_served_as_it_is(anyone, frontmatter):
    content = f"---\n{frontmatter}\n---\n\n# Tables\n\n\nRead them.\n\n"
    SkillFactory(slug="pdf-tables", content=content)

    text = file_of(anyone, "pdf-tables")

    assert text == content
    assert problems(text, "pdf-tables") == []


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    "content",
    [
        pytest.param("No frontmatter.", id="none"),
        pytest.param("", id="nothing at all"),
        pytest.param("---\nname: Other Name\ndescription: x\n---\nDo.", id="another name"),
        pytest.param("---\nhomepage: http://x\nuser-invocable: true\n---\nDo.", id="other fields"),
        pytest.param("---\nmetadata: {a: [1, {b: c}]}\n---\nDo.", id="flow style"),
        pytest.param("---\nname: a\na: &a x\nb: *a\n---\nDo.", id="anchors"),
        pytest.param("---\nallowed-tools: [Read, 'a --- b']\n---\nDo.", id="allowed tools"),
        pytest.param(f"---\ncompatibility: {'x' * 600}\n---\nDo.", id="a long compatibility"),
        pytest.param("---\nname: x: y: z\n  - b\n---\nDo.", id="no YAML"),
        pytest.param("---\nname: some\ndescription: a: b\n---\nDo.", id="a colon"),
        pytest.param("---\nname: some\ndescription: x\nname: some\n---\nDo.", id="a name twice"),
        pytest.param("---\nname: some\ndescription: x\na: b\n---\nDo.", id="a field of its own"),
        pytest.param("---\nname: some\ndescription:\n  a: b\n---\nDo.", id="a mapping"),
        pytest.param("---\nname: some\ndescription: a --- b\n---\nDo.", id="a line in a line"),
        pytest.param(f"---\nname: some\ndescription: {'x' * 1025}\n---\nDo.", id="too long"),
        pytest.param("---\nname: some\ndescription: ''\n---\nDo.", id="no description"),
        pytest.param("---\nname: some\ndescription: null\n---\nDo.", id="no text to some readers"),
        pytest.param("---\nname: some\ndescription: 1e5\n---\nDo.", id="a number to some readers"),
        pytest.param("---\nname: some\ndescription: a\tb\n---\nDo.", id="a tab"),
        pytest.param("---\nname: some\ndescription: x\nmetadata: y\n---\nDo.", id="no mapping"),
    ],
)
def test_every_stored_text_is_served_as_a_valid_file(anyone, content):
    SkillFactory(slug="some", content=content)

    text = file_of(anyone, "some")

    assert problems(text, "some") == []
    assert text.endswith("\n---\n\nDo.\n") or "Do." not in content


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    "line",
    [
        "license:",
        'license: ""',
        "compatibility: ''",
        "metadata:",
        "metadata:\n  on: x",
        "metadata:\n  1: x",
        "metadata:\n  null: x",
        "metadata:\n  a:",
        "metadata:\n  a: ''",
        "license: yes ",
        "metadata:\n  a: null\t",
    ],
)
def test_every_scalar_is_a_string_to_every_reader_of_yaml(anyone, line):
    SkillFactory(slug="some", content=f"---\nname: some\ndescription: x\n{line}\n---\nDo.")

    fields = yaml.safe_load(file_of(anyone, "some").split("---\n")[1])

    metadata = fields.pop("metadata", {})
    scalars = [*fields.items(), *metadata.items()]
    assert all(isinstance(text, str) and text for pair in scalars for text in pair), fields


@pytest.mark.contract("22.13")
def test_no_key_of_the_protocol_is_served(anyone):
    key = "io.modelcontextprotocol/origin"
    lines = f"name: some\ndescription: x\nmetadata:\n  author: me\n  {key}: elsewhere"
    SkillFactory(slug="some", content=f"---\n{lines}\n---\nDo.")

    text = file_of(anyone, "some")

    assert key not in text
    assert problems(text, "some") == []


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
    SkillFactory(slug="some", title="Some --- skill", description=description)

    text = file_of(anyone, "some")
    (entry,) = anyone.get(f"/skills/some{INDEX}").json()["skills"]

    assert problems(text, "some") == []
    for fields in (parse_frontmatter(text)[0], yaml.safe_load(text.split("---\n")[1])):
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
