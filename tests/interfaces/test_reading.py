"""The text of an entry: its code, its contents, its title."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from catalogue.markdown import CUT_OFF, MARKDOWN, MAX_MARKS, cells_of
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.pages import text_of

LONG = "# Tables\n\n## Look `first`\n\nText.\n\n### Deep\n\n#### Deeper\n\n## Look `first`\n"


def prose(page):
    return text_of(page).partition('<div class="prose">')[2].partition("</div>")[0].strip()


def test_code_is_highlighted_by_classes(person, db):
    SkillFactory(slug="code", content="```python\ndef f():\n    return '<b>'  # why\n```\n")

    assert prose(person.get("/skills/code")) == (
        '<pre tabindex="0"><code><span class="k">def</span> <span class="f">f</span>():\n'
        '    <span class="k">return</span> <span class="s">\'&lt;b&gt;\'</span>  '
        '<span class="c"># why</span>\n</code></pre>'
    )


@pytest.mark.parametrize("language", ["", "text", "brainfuck", 'x"onclick="y', "python\\"])
def test_code_of_another_language_is_shown_as_it_stands(person, db, language):
    SkillFactory(slug="code", content=f"```{language}\nif <b> 'x'\n```\n")

    html = re.sub(r"</?span[^>]*>", "", prose(person.get("/skills/code")))
    assert html == "<pre tabindex=\"0\"><code>if &lt;b&gt; 'x'\n</code></pre>"


def test_a_long_text_has_contents_that_lead_to_its_headings(person, db):
    PersonaFactory(slug="long", content=LONG)

    text = text_of(person.get("/personas/long"))

    contents = re.findall(r'<li(?: class="(deep)")?><a href="#([^"]*)">(.*?)</a>', text)
    assert contents == [
        ("", "text-tables", "Tables"),
        ("deep", "text-look-first", "Look first"),
        ("deep", "text-look-first--2", "Look first"),
    ]
    assert '<h2 id="text-tables">Tables</h2>' in text
    assert '<h3 id="text-look-first--2">Look <code>first</code></h3>' in text
    assert '<h4 id="text-deep">Deep</h4>' in text
    assert text.count("<h1>") == 1


def test_a_short_text_has_none(person, db):
    PersonaFactory(slug="short", content="# One\n\n## Two\n")

    assert 'id="contents"' not in text_of(person.get("/personas/short"))


def test_a_heading_takes_no_id_of_the_page(person, db):
    PersonaFactory(slug="ids", content="# main\n\n# q\n\n# 表\n\n# !\n\n# !\n")

    ids = re.findall(r' id="([^"]*)"', text_of(person.get("/personas/ids")))

    assert len(ids) == len({*ids})
    assert {"text-main", "text-q", "text-表", "text-", "text---2"} <= {*ids}


def test_a_file_is_highlighted_by_the_end_of_its_name(person, db):
    SkillFactory(slug="pdf", files={"scripts/run.py": b"import os\n", "b.xyz": b"import <os>\n"})

    page = text_of(person.get("/skills/pdf/files/scripts/run.py"))
    assert '<code><span class="k">import</span> os\n</code>' in page
    assert "<code>import &lt;os&gt;\n</code>" in text_of(person.get("/skills/pdf/files/b.xyz"))


HOSTILE = {
    "ten thousand equal headings": "#\n" * 10_000,
    "five thousand equal titles": "# a\n" * 5_000,
    "a table of wide rows": "|" + "a|" * 200 + "\n|" + "-|" * 200 + "\n" + "a\n" * 9_000,
    "much code": ("```ts\n" + "a." * 1_990 + "\n```\n") * 5,
    "quotation marks, then empty lines": '"' * 3_333 + "\n" * 16_667,
    "spaces that HTML spells out": "\xa0" * 20_000,
    "links, each with a rel": "[a](b)" * 3_333,
    "lists in quotes in lists": "- > - > a\n" * 1_500,
    "emphasis in emphasis": "*a " * 990 + "b* " * 990 + "\n\n" + "c\n\n" * 800,
    "lists before quotes": "-\na\n> " * 3_000,
    "lists before quotes, with other line ends": "-\ra\r> " * 3_000,
    "a long list": "- *a* `b`\n" * 1_400,
    "a long table": "|a|b|\n|-|-|\n" + "|**c**|`d`|\n" * 1_400,
}
VOID = {"br", "hr"}


class Balanced(HTMLParser):
    """Fails at an element that is closed in another's place."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, _attributes):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_parsed_once_and_its_start_is_whole(person, db, monkeypatch, name):
    SkillFactory(slug="hostile", content=HOSTILE[name] + "\n")
    parse, parsed = MarkdownIt.parse, []
    monkeypatch.setattr(MarkdownIt, "parse", lambda *args: parsed.append(args) or parse(*args))

    page = person.get("/skills/hostile")

    assert len(parsed) == 1
    html, text = prose(page), text_of(page)
    assert html.endswith(CUT_OFF)
    assert len(html.encode()) < 20_500
    assert len(text.encode()) < 31_000
    balanced = Balanced()
    balanced.feed(html)
    assert balanced.open == []
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len({*ids})
    assert text.count('<a href="#text-') <= 60


def test_a_long_text_ends_within_a_word(person, db):
    SkillFactory(slug="long", content="> - **" + "é" * 15_000 + "**\n")

    start = "<blockquote>\n<ul>\n<li><strong>"
    letters = "é" * ((20_000 - len(start)) // 2)
    assert prose(person.get("/skills/long")) == (
        f"{start}{letters}</strong></li></ul></blockquote>{CUT_OFF}"
    )


def test_a_long_text_ends_before_an_entity(person, db):
    SkillFactory(slug="long", content="a" + "&" * 15_000 + "\n")

    assert prose(person.get("/skills/long")) == f"<p>a{'&amp;' * 3_999}</p>{CUT_OFF}"


def test_the_contents_name_headings_that_are_shown(person, db):
    content = "# A\n\n# B\n\n# C\n\n" + "<>" * 9_000 + "\n\n# D\n"
    SkillFactory(slug="long", content=content)

    text = text_of(person.get("/skills/long"))
    assert re.findall(r'<a href="#text-(.)">', text) == ["a", "b", "c"]


def test_a_long_heading_is_short_in_the_contents(person, db):
    SkillFactory(slug="long", content="# A\n\n# B\n\n# " + "c" * 200 + "\n")

    text = text_of(person.get("/skills/long"))
    assert f'">{"c" * 99}…</a>' in text
    assert f">{'c' * 200}</h2>" in text


def test_paragraphs_beyond_the_limit_of_marks_are_shown_as_they_are_written(person, db):
    SkillFactory(slug="marks", content=f"*a*\n\n{'[' * (MAX_MARKS - 2)}\n\n*b* & <c>\n")

    assert prose(person.get("/skills/marks")) == (
        f"<p><em>a</em></p>\n<p>{'[' * (MAX_MARKS - 2)}</p>\n<p>*b* &amp; &lt;c&gt;</p>"
    )


def test_a_text_is_shown_up_to_a_number_of_lines(person, db):
    SkillFactory(slug="lines", content="a\n\n" * 751)

    assert prose(person.get("/skills/lines")) == "<p>a</p>\n" * 750 + CUT_OFF


def test_emphasis_that_is_nested_too_deeply_is_shown_as_it_is_written(person, db):
    fine, deep = ("*a " * depth + "b* " * depth for depth in (12, 13))
    SkillFactory(slug="deep", content=f"{fine}\n\n{deep}\n")

    html = prose(person.get("/skills/deep"))
    assert html.count("<em>") == html.count("</em>") == 12
    assert f"<p>{deep.strip()}</p>" in html


def test_quotes_that_would_take_long_are_shown_as_they_are_written(person, db):
    SkillFactory(slug="quotes", content="> a\n\n" + "-\nb\n> " * 150)

    html = prose(person.get("/skills/quotes"))
    assert "<blockquote>" not in html
    assert html.startswith("<p>&gt; a</p>")


@pytest.mark.parametrize("deep", [f"{'>' * 12}b", "- - - - - - b"])
def test_a_text_that_is_nested_too_deeply_is_shown_as_it_is_written(person, db, deep):
    """The parser would leave out what is deeper, and all that follows a list."""
    SkillFactory(slug="deep", content=f"# a\n\n{deep}\n\nc <d>\n")

    shown = unescape(prose(person.get("/skills/deep")))
    assert shown == f'<pre tabindex="0"><code># a\n\n{deep}\n\nc <d>\n</code></pre>'


def test_code_beyond_the_limit_is_shown_plain(person, db):
    block = "```python\nimport os\n" + "x = y\n" * 460 + "```\n"
    SkillFactory(slug="code", content=block * 4)

    blocks = re.findall(r"<pre .*?</pre>", prose(person.get("/skills/code")), re.DOTALL)
    assert ['class="k"' in block for block in blocks] == [True, True, False, False]


@pytest.mark.parametrize(
    "line", ["x" * 300, " " * 100, "?" * 21], ids=["long", "white space", "not Python"]
)
def test_code_that_would_take_long_is_shown_plain(person, db, line):
    SkillFactory(slug="code", content=f"```python\nimport os\n{line}\nx\n```\n")

    assert prose(person.get("/skills/code")) == (
        f'<pre tabindex="0"><code>import os\n{line}\nx\n</code></pre>'
    )


@pytest.mark.parametrize("language", ["Python", "py", "python3 title=x"])
def test_a_language_may_be_written_in_several_ways(person, db, language):
    SkillFactory(slug="code", content=f"```{language}\nimport os\n```\n")

    assert '<span class="k">import</span>' in prose(person.get("/skills/code"))


def test_a_link_within_a_text_leads_to_its_heading(person, db):
    SkillFactory(slug="linked", content="[Use](#use-it)\n\n# Use it\n")

    text = prose(person.get("/skills/linked"))
    assert '<a href="#text-use-it"' in text
    assert '<h2 id="text-use-it">' in text


@pytest.mark.parametrize(
    "table",
    [
        "|a|b|\n|-|-|\n|c|d|\n",
        "a|b\n-|-\nc|d\n",
        " a | b \n :-- | --: \nc\n",
        "> a|b\n> -|-\n> c|d\n",
        "1. > > a|b\n   > > -|-\n   > > c|d\n",
    ],
)
def test_the_cells_of_a_text_have_an_upper_bound(table):
    cells = len(re.findall("<t[hd][ >]", MARKDOWN.render(table, {"code": 0})))

    assert cells == 4
    assert cells <= cells_of(table)
