"""The smallest repairs of a file's frontmatter."""

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue.fences import CLIENT_FIELDS, Refused, closed, fenced
from catalogue.frontmatter import read_frontmatter
from catalogue.repairs import REPAIRS, repair
from catalogue.yaml_fields import read_yaml
from tests.importing.odd_frontmatter import PIECES

TEXT = "From the catalogue: a text."
ASIDE = {"name", "description"}


def repaired(lines, body="Do it.\n", name="pdf"):
    """The repaired lines, and the names of the repairs."""
    start, end = "---\n", f"---\n{body}"
    text, repairs = repair(f"{start}{lines}{end}", name, TEXT)
    assert text.startswith(start)
    assert text.endswith(end)
    return text[len(start) : -len(end)], repairs


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    "text",
    [
        "---\nname: pdf\ndescription: Reads.\n---\nDo it.",
        "\ufeff---\r\nname: 'pdf' # c\r\ndescription: >-\r\n  A\r\n  b.\r\n---\r\n\r\nDo.\r\n",
        "---\nname: pdf\rdescription: Reads.\n---\nDo\rit.\r",
        '---  \n\n# A\ndescription: |\n  B\n\n  c.\nname: "pdf"\nhooks: {a: [b, {c: d}]}\n---',
        "---\n{name: pdf, description: Reads., x: !!str 1}\n---\n",
        "---\nname: &name pdf\ndescription: &text Reads.\ntitle: *text\n---\n",
        f"---\nname: pdf\ndescription: {'x' * 2000}\ncompatibility: {'x' * 600}\n---\n",
        "---\nname: pdf\ndescription: a --- b\nmetadata:\n  on: [1]\n  a:\n---\n",
    ],
)
def test_a_readable_file_stays_as_it_is(text):
    assert repair(text, "pdf", TEXT) == (text, [])


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    ("lines", "expected", "repairs"),
    [
        ("name: PDF # tables\ndescription: x\n", "name: pdf # tables\ndescription: x\n", ["name"]),
        ("description: x\nname:\n", "description: x\nname: pdf\n", ["name"]),
        (
            "name: >\n  The\n  PDF\n\n# c\ndescription: x\n",
            "name: pdf\n\n# c\ndescription: x\n",
            ["name"],
        ),
        ('name: "The\n  PDF" # c\ndescription: x\n', "name: pdf # c\ndescription: x\n", ["name"]),
        ("Name: pdf\ndescription: x\n", "name: pdf\ndescription: x\n", ["name"]),
        ("'name': x\ndescription: x\n", "'name': pdf\ndescription: x\n", ["name"]),
        ("  description: x\n  a: b\n", "  name: pdf\n  description: x\n  a: b\n", ["name"]),
        ("name: [a]\ndescription: x\n", "name: pdf\ndescription: x\n", ["name"]),
        ("{name: PDF, description: x}\n", "{name: pdf, description: x}\n", ["name"]),
        ("name: pdf\n", f"name: pdf\ndescription: '{TEXT}'\n", ["description"]),
        (
            "name: pdf\ndescription: # c\na: b\n",
            f"name: pdf\ndescription: '{TEXT}' # c\na: b\n",
            ["description"],
        ),
        ("name: pdf\ndescription: null\n", f"name: pdf\ndescription: '{TEXT}'\n", ["description"]),
        (
            "name: pdf\ndescription:\n- a\n- b\n# c\na: b\n",
            f"name: pdf\ndescription: '{TEXT}'\n# c\na: b\n",
            ["description"],
        ),
        ("name: pdf\nDESCRIPTION: x # c\n", "name: pdf\ndescription: x # c\n", ["description"]),
        (
            "name: pdf\ndescription: x\nTools: 'Read' # c\n\"User-Invocable\": false\nTags: [a]\n",
            "name: pdf\ndescription: x\ntools: 'Read' # c\nuser-invocable: false\nTags: [a]\n",
            ["name"],
        ),
        (
            "DisallowedTools: Bash\nMODEL: x\nmodel: y\nname: pdf\npermissionmode: plan\n",
            (
                f"disallowedTools: Bash\nMODEL: x\nmodel: y\nname: pdf\ndescription: '{TEXT}'\n"
                "permissionMode: plan\n"
            ),
            ["name", "description"],
        ),
        (
            "name: pdf\ndescription: x\nHooks: true\na: b\na: c\n",
            "name: pdf\ndescription: x\nhooks: true\na: c\n",
            ["name", "frontmatter"],
        ),
        (
            "title: PDF\n",
            f"name: pdf\ndescription: '{TEXT}'\ntitle: PDF\n",
            ["name", "description"],
        ),
        (
            "name: pdf\ndescription: Use when: x\n",
            "name: pdf\ndescription: 'Use when: x'\n",
            ["quoting"],
        ),
        ("name: pdf\ndescription: 1e5\n", "name: pdf\ndescription: '1e5'\n", ["quoting"]),
        ("name: pdf\ndescription: It's: x\n", 'name: pdf\ndescription: "It\'s: x"\n', ["quoting"]),
        (
            'name: pdf\ndescription: "This" or "that"\n',
            'name: pdf\ndescription: \'"This" or "that"\'\n',
            ["quoting"],
        ),
        (
            "name: pdf\ndescription: |-\n\tUse: x\n\ty\n",
            "name: pdf\ndescription: 'Use: x y'\n",
            ["quoting"],
        ),
        (
            'name: pdf\ndescription: "Say "hi""\n',
            "name: pdf\ndescription: 'Say \"hi\"'\n",
            ["quoting"],
        ),
        (
            "name: PDF\ndescription: Read: a\n  and: b\n\n# c\nhooks:\n  - a: @b\n    c: d: e\n",
            "name: pdf\ndescription: 'Read: a and: b'\n\n# c\nhooks:\n  - a: '@b'\n    c: 'd: e'\n",
            ["name", "quoting"],
        ),
        (
            "a: &a x\ndescription: *a\nname: b: c\n",
            "a: &a x\ndescription: *a\nname: pdf\n",
            ["name", "quoting"],
        ),
        (
            "name: pdf\ndescription: x\na: !b c\n",
            "name: pdf\ndescription: x\na: '!b c'\n",
            ["quoting"],
        ),
        (
            "name: a\nname: pdf\ndescription: x\noff: true\nno: 'off'\na:\n  - {b: 1.10}\n",
            'name: pdf\ndescription: x\noff: true\nno: "off"\na:\n- b: 1.10\n',
            ["frontmatter"],
        ),
        (
            "name: pdf\ndescription: x\nmetadata:\n\ta: b\n\tc: 1.0\n",
            "name: pdf\ndescription: x\nmetadata:\n  a: b\n  c: 1.0\n",
            ["frontmatter"],
        ),
        (
            "{name: PDF, a: b}\n",
            f"name: pdf\ndescription: '{TEXT}'\na: b\n",
            ["name", "description", "frontmatter"],
        ),
    ],
)
def test_a_repair_changes_only_its_line(lines, expected, repairs):
    assert repaired(lines) == (expected, repairs)


def test_a_new_line_has_the_newline_of_the_others():
    text = "---\r\ntitle: PDF\r\n---\r\nDo it.\r\n"

    assert repair(text, "pdf", "Reads.") == (
        "---\r\nname: pdf\r\ndescription: Reads.\r\ntitle: PDF\r\n---\r\nDo it.\r\n",
        ["name", "description"],
    )


HEAD = "---\nname: pdf\ndescription: x\n"


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    ("fields", "body"),
    [
        (HEAD, "# PDF\n\nDo it.\n\n---\n\nMore.\n"),
        (f"{HEAD}\n", "## PDF\n- a\n\nNote: b\n\n---\n"),
        (f"{HEAD}\n", "Do it.\n\nNote: b\n---\n"),
        (f"{HEAD}\n", "- Do it.\n\nDo that.\n"),
        (f"{HEAD}tags:\n# two\n- a\n\n- b\n\n", "1. Do it.\n---\n"),
        (f"{HEAD}home: y\n# c\nhooks:\n  # d\n  a: b\n\n", "# PDF\nDo it.\n"),
        (f"{HEAD}\n", "# PDF\n\nNote: b\n"),
        ("---\r\nname: pdf\r\ndescription: x\r\n\r\n", "# PDF\r\nDo it.\r\n---\r\n"),
    ],
)
def test_frontmatter_without_an_end_ends_above_the_text(fields, body):
    newline = "\r\n" if "\r" in fields else "\n"

    assert repair(fields + body, "pdf", TEXT) == (f"{fields}---{newline}{body}", ["frontmatter"])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("# c\nname: pdf\ndescription: Use: x\n# d\n", "'Use: x'"),
        ("name: pdf\ndescription: Use: x\nand: y\n\n  z\n", "'Use: x'"),
        ("name: pdf\ndescription: Use: x\nnot\nindented\n", "'Use: x not indented'"),
        ("name: pdf\ndescription: Use: x\n\n<b>\n\ntools: Read\n", "'Use: x <b>'"),
    ],
)
def test_comments_and_values_do_not_end_it(lines, expected):
    result, repairs = repaired(lines)

    assert f"description: {expected}\n" in result
    assert repairs == ["quoting"]


@pytest.mark.contract("22.13")
@pytest.mark.parametrize(
    "lines",
    [
        "---\rname: pdf\rdescription: x\r---\r",
        "---\rname: pdf\ndescription: x\n---\n",
        "---\nname: pdf\ndescription: x\r---\n",
        "---\nname: pdf\ndescription: x\n---\r",
    ],
)
def test_a_carriage_return_ends_no_line_of_dashes(lines):
    assert repair(f"{lines}Do\rit.\r", "pdf", TEXT) == (f"{HEAD}---\nDo\rit.\r", ["newlines"])


@pytest.mark.parametrize("text", ["", "Do it.", "---\n\nDo it.\n\n---\n", "---\na: b\n"])
def test_a_text_without_frontmatter_gets_one(text):
    assert repair(text, "pdf", "Reads.") == (
        f"---\nname: pdf\ndescription: Reads.\n---\n\n{text}",
        ["frontmatter"],
    )


@pytest.mark.parametrize("name", ["2048", "1e5", "null", "no", "2024-01-01", "0x1f"])
def test_a_name_that_looks_like_no_text_is_put_in_quotes(name):
    assert repaired(f"name: {name}\ndescription: x\n", name=name) == (
        f"name: '{name}'\ndescription: x\n",
        ["name"],
    )


@pytest.mark.parametrize("seed", ["[]", "{}", "", "[x]"])
def test_aliases_multiply_nothing_not_even_empty_lists(seed):
    levels = [f"a{level}: &a{level} [{f'*a{level - 1},' * 10}]" for level in range(1, 7)]

    assert read_yaml("\n".join([f"a0: &a0 {seed}", *levels])) is None


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(PIECES, max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["pdf", "12"]),
    st.sampled_from(["---", "", "# Do it."]),
)
def test_every_other_field_stays_whatever_the_file_is(pieces, newline, name, end):
    lines = "".join(piece + newline for piece in pieces)
    text = f"---{newline}{lines}{end}{newline}Do it.{newline}"

    result, repairs = repair(text, name, TEXT)

    assert repairs == [name for name in REPAIRS if name in repairs]
    assert bool(repairs) == (result != text)
    fields = yaml.load(fenced(result)[1], Loader=yaml.CBaseLoader)
    assert fields["name"] == name
    assert fields["description"].strip()
    assert repair(result, name, "another") == (result, [])
    try:
        before = read_frontmatter(text)[0].fields
    except Refused:
        assert repairs == ["frontmatter"]
        assert result.endswith(text)
        return
    whole = closed(text)
    assert result.endswith(whole[fenced(whole).end() :])
    assert others(fields) == others(before)


def others(fields):
    """The fields without those that are repaired, as clients spell their keys."""
    spelled = {key.casefold(): key for key in CLIENT_FIELDS}
    keys = {spelled.get(key.casefold()): key for key in fields if key not in CLIENT_FIELDS}
    renamed = {key: name for name, key in keys.items() if name and name not in fields}
    return {
        renamed.get(key, key): value
        for key, value in fields.items()
        if key.strip().casefold() not in ASIDE
    }
