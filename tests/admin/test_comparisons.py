"""How two texts are compared by line and by word"""

import pytest
from django.template.loader import render_to_string

from marketplace.diffs import EXAMINED, LINES, MAX_LINE, Comparison, change_of, line_counts

MAX_LINES = EXAMINED * LINES  # that are compared

LONG = "-+" * 700, "+" * 700 + "-+" * 350  # what takes difflib seconds


def diff(old, new, comparison=None):
    """`[(kind, parts)]` of each line."""
    return [line[:2] for line in change_of("text", old, new, comparison)["diff"]]


@pytest.mark.contract("25.15")
@pytest.mark.parametrize(
    ("old", "new", "first", "lines", "counts"),
    [
        ("a\nb\nc", "x\na\nc", 1, ["+1", "=2", "-2", "=3"], "1 line added, 1 removed"),
        ("", "1\n2", 1, ["+1", "+2"], "2 lines added"),
        ("1\n2\n", "1\n", 1, ["=1", "-2"], "1 line removed"),
        # A line about the text comes before its first.
        ("1 B\na", "2 B\na\nb", 0, ["-0", "+0", "=1", "+2"], "1 line added"),
        ("", "1 B\na", 0, ["+0", "+1"], "1 line added"),
        ("1 B", "2 B", 0, ["-", "+"], ""),
        # A value of one line.
        ("Old", "New", 1, ["-", "+"], ""),
        # Beyond what a page shows, lines are counted all the same.
        ("", "\n".join("x" * 4_000), 1, [f"+{n}" for n in range(1, 1_001)], "4,000 lines added"),
    ],
)
def test_lines_have_numbers_and_are_counted(old, new, first, lines, counts):
    change = change_of("text", old, new, first=first)

    signs = {"add": "+", "del": "-", "same": "="}
    assert lines == [
        f"{signs[kind]}{'' if number is None else number}"
        for kind, _, number in change["diff"]
        if kind in signs
    ]
    assert line_counts([change]) == counts


def test_the_lines_of_several_changes_are_counted_together():
    changes = [change_of("text", "a\nb", "a\nc"), change_of("file", "1\n2\n3", "2")]

    assert line_counts(changes) == "1 line added, 3 removed"


def test_words_that_changed_are_marked():
    assert diff("Use the tool.\nStop.", "Use a tool.\nStop.") == [
        ("del", [(False, "Use "), (True, "the"), (False, " tool.")]),
        ("add", [(False, "Use "), (True, "a"), (False, " tool.")]),
        ("same", [(False, "Stop.")]),
    ]


def test_another_line_has_no_marks():
    assert diff("One thing.", "Nothing-alike-here?") == [
        ("del", [(False, "One thing.")]),
        ("add", [(False, "Nothing-alike-here?")]),
    ]


def test_unchanged_lines_are_left_out():
    lines = "\n".join(map(str, range(10)))

    assert [(kind, parts[0][1]) for kind, parts in diff(lines, f"{lines}\nx")] == [
        *(("same", "8"), ("same", "9"), ("add", "x"))
    ]


def test_only_line_ends_differ():
    assert diff("a\nb", "a\r\nb") == [("place", [(False, "only the line ends differ")])]


def test_a_long_line_with_one_edit_is_compared_by_word():
    words = " ".join(f"word{number}" for number in range(20_000))

    [(_, old), (_, new)] = diff(f"{words} old {words}", f"{words} new {words}")

    assert [text for is_changed, text in old + new if is_changed] == ["old", "new"]


def test_long_lines_are_not_compared_by_word():
    assert diff(*LONG) == [("del", [(False, LONG[0])]), ("add", [(False, LONG[1])])]


def test_the_changes_of_a_page_share_what_they_may_cost():
    comparison, pair = Comparison(), ("a b c d e f", "f e d c b a")
    assert len(diff(*pair, comparison)[0][1]) > 1

    comparison.word_steps = 0

    assert diff(*pair, comparison)[0] == ("del", [(False, "a b c d e f")])


def test_so_many_lines_are_shown_and_the_others_counted():
    before, after = ("\n".join(f"{word} {n}" for n in range(900)) for word in ("one", "two"))

    changes = diff(before, after)

    assert [kind for kind, _ in changes] == ["del"] * 500 + ["add"] * 500 + ["place"]
    assert changes[-1] == ("place", [(False, "800 more lines changed")])


def test_the_changes_of_a_page_share_the_lines_that_it_shows():
    comparison = Comparison(4)

    assert diff("", "1\n2\n3", comparison) == [("add", [(False, str(n))]) for n in (1, 2, 3)]
    assert diff("a\nb\nc", "a\nb\nd", comparison) == [
        *(("same", [(False, "a")]), ("place", [(False, "2 more lines changed")]))
    ]
    assert diff("", "x", comparison) == [("place", [(False, "1 more line changed")])]


def test_so_many_characters_are_shown():
    changes = diff("", "\n".join(["x" * MAX_LINE] * 60))

    assert changes == [
        *[("add", [(False, "x" * MAX_LINE)])] * 50,
        ("place", [(False, "10 more lines changed")]),
    ]


@pytest.mark.contract("25.15")
def test_a_long_line_is_shown_in_part():
    assert diff("", "x" * 1_000_000) == [
        ("add", [(False, "x" * 2_000 + " [… 998,000 more characters]")])
    ]


def test_a_long_line_is_shown_from_its_first_change():
    [(_, old), (_, new)] = diff("x" * 500_000 + " a", "x" * 500_000 + " b" + "y" * 10_000)

    start = "[499,901 characters …] " + "x" * 99
    assert "".join(text for _, text in old) == f"{start} a"
    assert "".join(text for _, text in new) == (f"{start} b{'y' * 1_899} [… 8,101 more characters]")


@pytest.mark.parametrize("number", [20, 100, 200, 1_000, 500_000])
def test_a_page_of_any_changes_has_less_than_a_megabyte(number):
    """Every character takes six bytes, and as many as possible are marked."""
    before = "\n".join(["\"'" * (number // 2)] * (1_000_000 // number))
    after = "\n".join(["'<" * (number // 2)] * (1_000_000 // number))
    changes = [change_of("text", before, after, Comparison())]

    assert len(render_to_string("_changes.html", {"changes": changes}).encode()) < 1_000_000


@pytest.mark.parametrize("first", [0, MAX_LINES])
def test_so_many_lines_are_not_compared(first):
    comparison = Comparison()
    diff("x\n" * first, "x\n" * first, comparison)
    many = "\n".join(map(str, range(MAX_LINES + 1 - first)))

    [(kind, [(_, text)])] = diff(many, "1", comparison)

    assert kind == "place"
    assert text.endswith("lines became 1: too many to compare here")


def repeating(name, number):
    """Lines of which every other one repeats, between lines that no other text has."""
    return "\n".join(f"t{place % 52}\n{name}{place}" for place in range(number))


def test_lines_that_would_take_long_are_only_counted():
    # difflib finds each of them by itself, among all the others.
    assert diff(repeating("a", 2400), repeating("b", 2400)) == [
        ("place", [(False, "4,800 lines became 4,800: too many to compare here")])
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [f"line {number}" for number in range(MAX_LINES)],
        repeating("a", MAX_LINES // 4).splitlines(),
    ],
)
def test_a_long_text_with_some_edits_is_compared(lines):
    edited = list(lines)
    for number in range(250, len(lines), 500):
        edited[number] = f"edit {number}"

    changes = diff("\n".join(lines), "\n".join(edited))

    added = ["".join(text for _, text in parts) for kind, parts in changes if kind == "add"]
    assert added == [f"edit {number}" for number in range(250, len(lines), 500)]


def test_the_texts_of_a_page_share_the_steps_of_their_lines():
    comparison, pair = Comparison(), ("a\nb\nc", "a\nx\nc")
    assert len(diff(*pair, comparison)) == 4

    comparison.line_steps = 1

    assert [kind for kind, _ in diff(*pair, comparison)] == ["place"]


def test_a_line_that_repeats_often_is_no_change():
    same = "echo ok\n" * 200

    changes = diff(f"v1\n{same}", f"v2\n{same}rm -rf x\n")

    assert [(kind, plain(parts)) for kind, parts in changes if kind in {"add", "del"}] == [
        ("del", "v1"),
        ("add", "v2"),
        ("add", "rm -rf x"),
    ]


@pytest.mark.parametrize("code", ["000B", "000C", "000D", "001E", "0085", "2028"])
def test_characters_that_look_like_a_line_end_are_shown_by_code(code):
    changes = diff(f"# quiet{chr(int(code, 16))}rm -rf x\n", "# quiet\nrm -rf x\n")

    assert [(kind, plain(parts)) for kind, parts in changes] == [
        ("del", f"# quiet[U+{code}]rm -rf x"),
        ("add", "# quiet"),
        ("add", "rm -rf x"),
    ]


def plain(parts):
    return "".join(text for _, text in parts)
