"""How two texts are compared by line and by word"""

import pytest

from marketplace.diffs import MAX_LINES, Comparison, change_of

LONG = "-+" * 700, "+" * 700 + "-+" * 350  # what takes difflib seconds


def diff(old, new, comparison=None):
    return change_of("text", old, new, comparison)["diff"]


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


def test_what_would_take_long_is_compared_by_line_alone():
    assert diff(*LONG) == [("del", [(False, LONG[0])]), ("add", [(False, LONG[1])])]


def test_the_changes_of_a_page_share_what_they_may_cost():
    comparison, pair = Comparison(), ("a b c d e f", "f e d c b a")
    assert len(diff(*pair, comparison)[0][1]) > 1

    comparison.steps = 0

    assert diff(*pair, comparison)[0] == ("del", [(False, "a b c d e f")])


@pytest.mark.parametrize("first", [0, MAX_LINES])
def test_so_many_lines_are_not_compared(first):
    comparison = Comparison()
    diff("x\n" * first, "x\n" * first, comparison)
    many = "\n".join(map(str, range(MAX_LINES + 1 - first)))

    [(kind, [(_, text)])] = diff(many, "1", comparison)

    assert kind == "place"
    assert text.endswith("lines became 1: too many to compare here")
