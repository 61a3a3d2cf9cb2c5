"""Hidden parts of Markdown, long gaps, and links to files that are not there."""

import pytest

from catalogue.markdown_findings import hidden_markup, long_gaps
from catalogue.markdown_links import dead_links, link_notes

HIDDEN = {
    "a comment": ("<!-- ignore all -->", 'HTML comment: "ignore all"'),
    "a comment in a paragraph": ("One <!-- two --> three", 'HTML comment: "two"'),
    "a comment over lines": ("<!--\nignore\nall\n-->", 'HTML comment: "ignore all"'),
    "a comment without an end": ("<!-- ignore", 'HTML comment: "ignore"'),
    "a comment in a list": ("- a\n  - b <!-- c -->", 'HTML comment: "c"'),
    "a comment in a quote": ("> <!-- c -->", 'HTML comment: "c"'),
    "a comment in a table": ("|a|b|\n|-|-|\n|`|<!-- c --> `|", 'HTML comment: "c"'),
    "a comment in an element": ("<div>\n`<!-- c -->`\n</div>", 'HTML comment: "c"'),
    "a comment between backticks": ("`` ` <!-- c -->", 'HTML comment: "c"'),
    "a comment behind escaped backticks": (r"\`<!-- c -->\`", 'HTML comment: "c"'),
    "a comment after a fence": ("```\na\n```\n<!-- c -->", 'HTML comment: "c"'),
    "a comment that is indented in a list": ("- a\n\n    <!-- c -->", 'HTML comment: "c"'),
    "a comment between fences": ("```\na\n```\n<!-- c -->\n```\nb\n```", 'HTML comment: "c"'),
    "a comment after an indented fence": (" ```\n\n```\n<!-- c -->\n```", 'HTML comment: "c"'),
    "a comment after a longer fence": ("````\n```\n````\n<!-- c -->\n```", 'HTML comment: "c"'),
    "a comment after a fence in a list": ("- ```\n\n  ```\n\n<!-- c -->", 'HTML comment: "c"'),
    "a comment after no fence": ("``` `\n<!-- c -->\n```\na", 'HTML comment: "c"'),
    "a comment in a block of HTML": ("<div>\n```\n<!-- c -->\n```\n</div>", 'HTML comment: "c"'),
    "a comment after a fence of tildes": ("~~~\n```\n~~~\n<!-- c -->\n```", 'HTML comment: "c"'),
    "a declaration": ("<!ignore all>", 'HTML comment: "ignore all"'),
    "a processing instruction": ("<?ignore all?>", 'HTML comment: "ignore all?"'),
    "a long comment": (f"<!-- {'a' * 81} -->", f'HTML comment: "{"a" * 80}…"'),
    "display": ('<p style="display:none">', 'hidden element: "<p style="display:none">…"'),
    "visibility": ("<p style='visibility:hidden'>a", "hidden element: \"<p style='visibil"),
    "no quotes": ("<p style=display:none>a", 'hidden element: "<p style=display:none>a…"'),
    "capitals and spaces": ('<P STYLE = " DISPLAY : NONE ">', 'hidden element: "<P STYLE'),
    "an entity": ('<p style="display&#58;none">', 'hidden element: "<p style'),
    "a comment in a style": ('<p style="display:/**/none">', 'hidden element: "<p style'),
    "an escape in a style": ('<p style="d\\69splay:none">', 'hidden element: "<p style'),
    "no size": ('<span style="font-size:0px">a</span>', 'hidden element: "<span'),
    "no height": ('<div style="overflow:hidden;height:0">', 'hidden element: "<div'),
    "no opacity": ('<span style="opacity: 0.0">', 'hidden element: "<span'),
    "outside of the page": ('<p style="left:-9999px">', 'hidden element: "<p'),
    "white on white": ('<span style="color: #FFF">', 'hidden element: "<span'),
    "transparent": ('<span style="color:rgba(0,0,0,0)">', 'hidden element: "<span'),
    "the attribute": ("<p hidden>a</p>", 'hidden element: "<p hidden>a</p>"'),
    "the attribute with a value": ('a <b id=x HIDDEN="">c</b>', 'hidden element: "<b id=x'),
    "white as a color": ('<span style="color:rgb(255, 255, 255)">', 'hidden element: "<span'),
    "nearly white": ('<span style="color:#fefefe">', 'hidden element: "<span'),
    "white by its lightness": ('<p style="color: hsl(0, 0%, 100%)">', 'hidden element: "<p'),
    "no opacity in hexadecimal": ('<p style="color: #0000">', 'hidden element: "<p'),
    "a font of 1 %": ('<p style="font-size:1%">', 'hidden element: "<p'),
    "a tiny font": ('<p style="font-size:0.01rem">', 'hidden element: "<p'),
    "hardly any opacity": ('<p style="opacity:.01">', 'hidden element: "<p'),
    "one pixel": ('<p style="width:1px;height:1px;overflow:hidden">', 'hidden element: "<p'),
    "moved away": ('<p style="transform:translateX(-9999px)">', 'hidden element: "<p'),
    "moved away in units of the page": ('<p style="top:-50em">', 'hidden element: "<p'),
    "a white font": ("<font size=1 color=white>a</font>", 'hidden element: "<font size=1'),
    "a template": ("<template>a</template>", 'hidden element: "<template>a</template>"'),
    "a closed dialog": ("<dialog id=x>a</dialog>", 'hidden element: "<dialog id=x>a</dialog>"'),
    "an element in another": ("<p hidden><b>a</b>", 'hidden element: "<p hidden><b>a</b>…"'),
    "an end in code": ("a <b hidden>`</b>`c</b>", 'hidden element: "<b hidden>`</b>`c</b>…"'),
    "an element over lines": ("<p hidden>a\nb</p>", 'hidden element: "<p hidden>a b</p>…"'),
    "a sign in an attribute": ('<p title=">" style="display:none">', 'hidden element: "<p title'),
}
SHOWN = {
    "nothing": "# A title\n\nSome *text*.",
    "a fence": "```html\n<!-- a -->\n<p hidden>\n```",
    "a fence in a longer one": "````\n```\n<!-- a -->\n````\ntext",
    "a fence that a longer one closes": "```a\n<!-- a -->\n  `````\t\ntext",
    "a fence in a fence of tildes": "~~~ `\n```\n<!-- a -->\n~~~",
    "a fence of tildes": "~~~\n<!-- a -->\n~~~",
    "a fence without an end": "```\n<!-- a -->\n",
    "a fence in a list": "1. a\n\n   ```html\n   <!-- a -->\n   ```",
    "a fence in a quote": "> ```\n> <!-- a -->\n> ```",
    "indented code": "Text:\n\n    <!-- a -->\n    <p hidden>",
    "inline code": "Use `<!-- a -->` and ``<p style=`display:none`>``.",
    "an escaped comment": r"\<!-- a -->",
    "an entity": "&lt;!-- a -->",
    "a comment without its end in a paragraph": "a <!-- b",
    "an arrow": "a <- b <= c << d <3",
    "a placeholder": "Run with <name> and <hidden>.",
    "an honest style": '<p style="display:flex; height: 100px; color:#fff0e0">a</p>',
    "honest sizes": '<p style="width:auto;height:100px;font-size:0.9em;line-height:1.0">a</p>',
    "a style of half the opacity": '<p style="opacity:0.5; max-width: 0.8em">a</p>',
    "honest colors": '<p style="color:#f00;background-color:#fff;border-color:white">a</p>',
    "honest measures": '<p style="font-size:90%;width:10px;left:-5px;margin:-1px">a</p>',
    "a black font": "<font color='#000000'>a</font>",
    "a placeholder with a hyphen": "Run <template-name> and <dialog_id>.",
    "a hidden title": '<p title="a hidden place">a</p>',
    "frontmatter": "---\nname: a\ndescription: <!-- a -->\n---\n\nText",
}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_hidden_markup(end):
    for name, (markup, what) in HIDDEN.items():
        text = f"---\nname: a\n---\n\n# Title\n\n{markup}"
        found = list(hidden_markup(text.replace("\n", end)))
        assert len(found) == 1, name
        assert found[0].text.startswith(what), name
        assert text.split("\n")[found[0].line - 1].strip(), name


def test_markup_that_is_shown():
    for name, text in SHOWN.items():
        assert list(hidden_markup(text)) == [], name


def test_lines_of_hidden_markup():
    text = "---\nname: a\n---\n\nText\nand <!-- one --> more\n\n<div>\n<!-- two -->\n</div>\n"
    assert list(hidden_markup(text)) == [
        (6, 'HTML comment: "one"'),
        (9, 'HTML comment: "two"'),
    ]


def test_a_text_that_takes_long_to_parse_counts_as_text_without_code():
    assert list(hidden_markup("> " * 30 + "a\n\n`<!-- b -->`")) == [(3, 'HTML comment: "b"')]
    assert list(hidden_markup("a " * 100_001 + "\n`<!-- b -->`")) == [(2, 'HTML comment: "b"')]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_more_than_40_blank_lines(end):
    for line in ("", " ", "\t", "\xa0", "\u3000", "\u200b", "\u2800 \u2060", "\u3164"):
        most, more = (end.join(["one", *[line] * number, "two"]) for number in (40, 41))
        assert list(long_gaps(most)) == [], repr(line)
        assert list(long_gaps(more)) == [(2, "41 blank lines in a row")], repr(line)


@pytest.mark.parametrize("line", [".", "---", "> -", "_", "\\", "\u2500\u2502"])
def test_more_than_40_lines_without_letters(line):
    lines = ["", line, *[""] * 20]
    assert list(long_gaps("\n".join(["one", *lines, "2", *lines]))) == []
    assert list(long_gaps("\n".join(["one", *lines, *lines, "two"]))) == [
        (2, "44 lines without letters in a row")
    ]


def test_gaps_at_the_start_and_the_end():
    assert list(long_gaps("\n" * 100_000 + "base64 -d | sh")) == [
        (1, "100,000 blank lines in a row")
    ]
    assert list(long_gaps("one\n" + "\n" * 50 + "two" + "\n" * 50)) == [
        (2, "50 blank lines in a row"),
        (53, "50 blank lines in a row"),
    ]


def test_long_lines():
    assert list(long_gaps("a\n" + "b" * 2_000 + "\r\nc")) == []
    assert list(long_gaps("a\n" + "b" * 2_001 + "\r\nc")) == [(2, "a line of 2,001 characters")]


PATHS = ["SKILL.md", "references/a b.md", "references/\u00fc.md", "scripts/run.py", "a(1).md"]
ALIVE = [
    "[a](scripts/run.py)",
    "[a](./scripts/run.py)",
    "[a](scripts/../scripts/run.py)",
    "[a](scripts/run.py#L10)",
    "[a](scripts/run.py?raw=1)",
    "[a](scripts/)",
    "[a](scripts)",
    "[a](.)",
    "[a](SKILL.md)",
    "[a](references/a%20b.md)",
    "[a](<references/a b.md>)",
    "[a](references/%C3%BC.md)",
    "[a](references/\u00fc.md)",
    "[a](a(1).md)",
    '[a](scripts/run.py "title")',
    "![a](scripts/run.py)",
    "[a]: scripts/run.py\n\n[a]",
    "[a](#title)",
    "[a](https://example.com/b)",
    "[a](//example.com/b)",
    "[a](mailto:a@example.com)",
    "[a](/absolute)",
    "[a]()",
    "[a]({baseDir}/b.md) [a](./<path>) [a](...)",
    "`[a](b.md)`",
    "```\n[a](b.md)\n[b]: c.md\n```",
    "text:\n\n    [a](b.md)",
    r"\[a](b.md)",
    "run `scripts/b.py` and `./references/b.md`",
]
DEAD = [
    ("[a](b.md)", "b.md"),
    ("[a](scripts/walk.py)", "scripts/walk.py"),
    ("[a](Scripts/run.py)", "Scripts/run.py"),
    ("[a](../other/SKILL.md)", "../other/SKILL.md"),
    ("[a](references/c%20d.md)", "references/c d.md"),
    ("![a](b.png)", "b.png"),
    ("[a]: b.md\n\n[a]", "b.md"),
    ("> - [a][b]\n\n> [b]: c.md", "c.md"),
    ("[`code`](b.md)", "b.md"),
    ("|a|\n|-|\n|[a](b.md)|", "b.md"),
]


def test_links_that_are_not_dead():
    for text in ALIVE:
        assert list(dead_links(text, PATHS)) == [], text


def test_dead_links():
    for text, link in DEAD:
        found = [passage.text for passage in dead_links(text, PATHS)]
        assert found == [f'"{link}" is not among the files'], text


def test_lines_of_dead_links():
    text = "---\nname: a\n---\n\nOne\n[a](b.md)\ntwo [a](c.md)\n"
    assert [passage.line for passage in dead_links(text, [])] == [6, 7]


NOTES = [
    ("[//]: # (ignore all)", "[//]: # (ignore all)"),
    ("[comment]: <> 'ignore all'", "[comment]: <> 'ignore all'"),
    ('[a]: b "ignore\n  all"', '[a]: b "ignore all"'),
    ("[ignore all rules]: #", "[ignore all rules]: #"),
    ("> - [a]: b (ignore)", "> - [a]: b (ignore)"),
]
NO_NOTES = [
    "[a]: b 'c'\n\n[a]",
    "[A  b c]: d\n\n[text][a b c]",
    "[a]: b\n[two words]: c",
    "```\n[//]: # (a)\n```",
    "    [//]: # (a)",
    "Text\n[//]: # (a)",
    "[a]: b c d",
    "- [ ]: a",
]


@pytest.mark.parametrize(("text", "note"), NOTES)
def test_definitions_that_no_link_uses(text, note):
    text = f"---\nname: a\n---\n\nText\n\n{text}\n"
    what = f'link definition that no link uses: "{note}"'
    assert list(link_notes(text)) == [(7, what)]
    long = text + "\n" + "a " * 100_001
    assert [passage.line for passage in link_notes(long)] == [7]


@pytest.mark.parametrize("text", NO_NOTES)
def test_definitions_that_hide_nothing(text):
    assert list(link_notes(text)) == []


def test_each_of_several_notes():
    notes = [
        (number, f'link definition that no link uses: "[//]: # (n{number})"') for number in (1, 2)
    ]
    assert list(link_notes("[//]: # (n1)\n[//]: # (n2)\n")) == notes


HOSTILE = [
    "<",
    "<a ",
    '<a "',
    "<a '\"",
    '<a style="',
    "<?",
    '<a style="/*">',
    "](",
    "](  ",
    "[",
    "> ",
]


@pytest.mark.parametrize("part", [*HOSTILE, "\n", " \n", "[a](b ", "- [a](b)\n", "`<!-- a -->` "])
def test_a_long_hostile_text_is_read(part):
    """It would take minutes if the time were quadratic."""
    text = part * (2**18 // len(part))
    for findings in (hidden_markup(text), long_gaps(text), dead_links(text, [])):
        assert len(list(findings)) < len(text)


@pytest.mark.parametrize("part", ["[a]: b 'c'\n", "[a b c]: d\n", "[a]: <", "[", "[a]:\n"])
def test_many_definitions_are_read(part):
    text = part * (2**17 // len(part))
    assert len(list(link_notes(text))) < len(text)
