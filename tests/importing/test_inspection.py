"""The findings that import commands print, and the files that they refuse."""

import pytest

from catalogue.models import FileContent
from tests.factories import SkillFactory
from tests.imports import (
    SKILLS,
    import_personas,
    import_skills,
    persona,
    served,
    skill,
    slugs,
    write,
)

pytestmark = pytest.mark.django_db
KEY = "AKIA" + "ABCDEFGHIJKLMNOP"
REFUSED = {
    "Do\U000e0068\U000e0069.": 'hidden tag characters that say "hi"',
    "Do\U000e0101 it.": "hidden variation selectors",
    "Do \u202eit.": "U+202E RIGHT-TO-LEFT OVERRIDE",
    "Do\x1b[8m it.": "U+001B control character",
    "Do\x9b it.": "U+009B control character",
    "Do\ufffe it.": "U+FFFE no character",
}


@pytest.mark.contract("28.1")
@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_a_file_with_refused_characters_is_refused(anyone, tmp_path, text):
    bad = skill(tmp_path / "one", body=f"{text}\n{text}")
    skill(tmp_path / "two")

    outcome = import_skills(tmp_path)

    what = REFUSED[text]
    assert outcome.refused == [
        f"{bad}: delete what nobody can see: SKILL.md, line 6: {what}; SKILL.md, line 7: {what}"
    ]
    assert outcome.status == 1
    assert slugs(anyone) == ["two"]


@pytest.mark.contract("28.1")
def test_a_persona_with_refused_characters_is_refused(tmp_path):
    file = persona(tmp_path / "one.md", body="You\U000e0068.")

    assert import_personas(tmp_path).refused == [
        f'{file}: delete what nobody can see: one.md, line 5: hidden tag characters that say "h"'
    ]


@pytest.mark.contract("28.1")
@pytest.mark.parametrize(
    ("line", "what"),
    [
        (r'title: "A\u202eB"', "U+202E RIGHT-TO-LEFT OVERRIDE"),
        (r'description: "A\U000E0068B"', 'hidden tag characters that say "h"'),
        (r'tags: [a, "\e[8m"]', "U+001B control character"),
        (r'hooks: {a: [{"b\x07": c}]}', "U+0007 control character"),
        (r'"a\x9bb": c', "U+009B control character"),
    ],
)
def test_the_fields_are_read_before_they_are_judged(tmp_path, line, what):
    file = skill(tmp_path / "one", "name: one", line)

    number = 2 if "9b" in line else 3
    assert import_skills(tmp_path).refused == [
        f"{file}: delete what nobody can see: SKILL.md, line {number}: {what}"
    ]


@pytest.mark.contract("28.1")
def test_five_reasons_are_enough(tmp_path):
    skill(tmp_path / "one", body="\x07\n" * 8)

    [refusal] = import_skills(tmp_path).refused

    assert refusal.count("U+0007") == 5
    assert refusal.endswith("; and 3 more")


@pytest.mark.contract("28.2")
@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
        "abc \u05d0\u200f.",  # Hebrew
        "क्\u200dष",  # Hindi
        "👩\u200d👩\u200d👧 ❤\ufe0f",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # England
        "葛\U000e0100",
        "ภาษาไทย ᠮᠣᠩᠭᠣᠯ",
    ],
)
def test_honest_texts_have_no_findings(anyone, tmp_path, text):
    skill(tmp_path / "one", "name: one", f"title: {text}", "license: MIT", body=text)

    outcome = import_skills(tmp_path)

    assert (outcome.findings, outcome.status) == ([], 0)
    assert served(anyone, "one")["title"] == text


@pytest.mark.contract("28.3", "28.4")
def test_each_finding_is_a_line_with_its_path(anyone, tmp_path):
    file = skill(tmp_path / "one", body=f"Do\u200b it.\n{KEY}\n[a](gone.md)" + "\n" * 50)
    write(tmp_path / "one" / "a" / "b.pyd", b"\x7fELF\0")
    write(tmp_path / "one" / ".env", KEY)

    outcome = import_skills(tmp_path)

    assert outcome.findings == [
        f"hidden-text: {file}, line 6: U+200B ZERO WIDTH SPACE",
        f"long-gap: {file}, line 9: 51 blank lines in a row",
        f"secret: {file}, line 7: AWS access key, AKIA…",
        f"license: {file}: it names none",
        f"left-out: {tmp_path / 'one' / '.env'}: it may hold secrets",
        f'dead-link: {file}, line 8: "gone.md" is not among the files',
        f"unreadable-file: {tmp_path / 'one' / 'a' / 'b.pyd'}: executable",
    ]
    assert outcome.lines == ["skills: 1 created, 0 updated, 0 unchanged, 0 refused"]
    assert slugs(anyone) == ["one"]


@pytest.mark.contract("28.4")
@pytest.mark.parametrize(
    ("lines", "findings"),
    [
        (["tools: Read", "name: One Two"], [("line 3", "name"), (None, "description")]),
        (["name: one-two", "tools: Read", "description: a: b"], [("line 4", "quoting")]),
        (["name: one-two", "tools: Read", "description: 1"], [("line 4", "quoting")]),
        (["name: one-two", "description: b", "Tools: Read"], [("line 4", "name")]),
        (["name: one-two", "description: Nothing is repaired."], []),
    ],
)
def test_repairs_of_a_personas_file(tmp_path, lines, findings):
    file = persona(tmp_path / "one.md", *lines, "license: MIT")

    assert import_personas(tmp_path).found("format") == [
        f"{', '.join(filter(None, [str(file), line]))}: served with a repair: {name}"
        for line, name in findings
    ]


@pytest.mark.contract("28.10")
def test_new_slugs_that_look_like_published_ones(tmp_path):
    SkillFactory(slug="pdf-tables")
    SkillFactory(slug="drafts", status="draft")
    names = ["draft", "form", "pdf-tab1e", "forrn"]
    files = [skill(tmp_path / name, f"name: {name}", "license: MIT") for name in names]

    outcome = import_skills(tmp_path)

    assert outcome.findings == [
        f"look-alike: {files[1]}: form is easily taken for forrn",
        f"look-alike: {files[3]}: forrn is easily taken for form",
        f"look-alike: {files[2]}: pdf-tab1e is easily taken for pdf-tables",
    ]
    assert import_skills(tmp_path).findings == []


@pytest.mark.contract("28.3")
def test_an_import_that_changes_nothing_says_the_same(tmp_path):
    skill(tmp_path / "one", body=KEY)

    assert import_skills(tmp_path).findings == import_skills(tmp_path).findings != []


@pytest.mark.contract("28.3")
@pytest.mark.parametrize(
    ("code", "body", "files"),
    [
        ("hidden-text", "Do\u200b it.", {}),
        ("long-gap", "Do it." + " " * 2_000 + ".", {}),
        ("secret", "Do it.", {"a.txt": KEY.encode()}),
        ("unreadable-file", "Do it.", {"a.txt": b"\x7fELF\0"}),
    ],
)
def test_a_strict_import_refuses_it(anyone, tmp_path, code, body, files):
    file = skill(tmp_path / "one", body=body)
    for path, data in files.items():
        write(tmp_path / "one" / path, data)
    skill(tmp_path / "two", body="[a](gone.md)")

    outcome = import_skills(tmp_path, strict=True)

    assert outcome.refused == [f"{file}: --strict refuses {code}"]
    assert slugs(anyone) == ["two"]
    assert not FileContent.objects.exclude(digest__in=texts_of(anyone)).exists()
    assert import_skills(tmp_path).summary == "skills: 1 created, 0 updated, 1 unchanged, 0 refused"


def texts_of(anyone):
    return [served(anyone, slug, SKILLS)["digest"] for slug in slugs(anyone)]
