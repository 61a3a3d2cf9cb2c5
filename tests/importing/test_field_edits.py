"""Changing fields in a file's frontmatter: the lines of the others stay."""

import pytest

from catalogue.edits import with_changes

IN_METADATA = ("metadata", "tags")


@pytest.mark.parametrize(
    ("lines", "changes", "expected"),
    [
        ("a: b # c\nd: 'e'\n", {"a": "x: y"}, "a: 'x: y' # c\nd: 'e'\n"),
        ("# c\na: b\n", {"d": "e"}, "# c\na: b\nd: e\n"),
        ("a:\n  - b\n  - c\n# d\ne: true\n", {"a": None}, "# d\ne: true\n"),
        ("a: [b]\n", {"a": ["c", "d, e"]}, "a: [c, 'd, e']\n"),
        (
            "metadata: # c\n    a: b\nd: e\n",
            {IN_METADATA: "x"},
            "metadata: # c\n    a: b\n    tags: x\nd: e\n",
        ),
        ("a: b\n", {IN_METADATA: "x"}, "a: b\nmetadata:\n  tags: x\n"),
        ("metadata:\n  a: b\n  tags: c\n", {IN_METADATA: None}, "metadata:\n  a: b\n"),
        ("metadata:\n  tags: c\nd: true\n", {IN_METADATA: None}, "d: true\n"),
        (
            "metadata: {a: b}\nd: 'no'\n",
            {IN_METADATA: "x"},
            'metadata:\n  a: b\n  tags: x\nd: "no"\n',
        ),
        ("metadata: 'a: b'\n", {IN_METADATA: "x"}, "metadata:\n  a: b\n  tags: x\n"),
        ("a: b: c\n", {"d": "e"}, "a: 'b: c'\nd: e\n"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_the_lines_of_the_changed_fields_change(lines, changes, expected, newline):
    text, changed = (
        f"\ufeff---\n{middle}---\n\nDo it.\n".replace("\n", newline) for middle in (lines, expected)
    )

    assert with_changes(text, changes) == changed
