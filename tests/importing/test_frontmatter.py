"""manage.py import_skills: real frontmatter, however it is written."""

import pytest

from tests.imports import (
    DESCRIPTION,
    import_skills,
    served,
    skill,
    write,
)
from tests.interfaces.skill_files import file_of

pytestmark = pytest.mark.django_db
QUOTED = "'Use: x'"


def imported(anyone, tmp_path, *lines, body="Do it."):
    """The API's response for a skill with this frontmatter."""
    skill(tmp_path / "pdf", "name: pdf", *lines, body=body)
    outcome = import_skills(tmp_path)
    assert outcome.lines[-1] == "skills: 1 created, 0 updated, 0 unchanged, 0 refused"
    return served(anyone, "pdf")


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["description: Use when: tables."], "Use when: tables."),
        (["description: 'Use when: tables.'"], "Use when: tables."),
        (['description: Use "this": or that: now'], 'Use "this": or that: now'),
        (['description: "Say "hi": twice"'], 'Say "hi": twice'),
        (["description: [Beta] reads tables: fast"], "[Beta] reads tables: fast"),
        (["description: {{ name }} reads tables"], "{{ name }} reads tables"),
        (["description: - reads tables: fast"], "- reads tables: fast"),
        (["description: @you, `read`: this"], "@you, `read`: this"),
        (["description: Read: first", "  and then: write"], "Read: first and then: write"),
        (["description:", "  Use when: tables."], "Use when: tables."),
        (["description: >-", "  Use when:", "  tables."], "Use when: tables."),
        (["description: |", "  One.", "", "  Two."], "One. Two."),
        (["description: One", "  two."], "One two."),
        (["description: https://example.org/a#b"], "https://example.org/a#b"),
    ],
)
def test_a_description_may_hold_colons_and_run_over_lines(anyone, tmp_path, lines, text):
    assert imported(anyone, tmp_path, *lines)["description"] == text


@pytest.mark.contract("23.8")
@pytest.mark.parametrize("text", ["2024-01-31", "1.10", "1.0", "3", "1e3", "true", "0x10", "12:30"])
def test_numbers_and_dates_in_frontmatter_stay_text(anyone, tmp_path, text):
    lines = [f"{name}: {text}" for name in ("version", "title", "author", "category")]

    detail = imported(anyone, tmp_path, *lines, f"tags: [{text}, {text}.1]")

    assert [detail[name] for name in ("version", "title", "author", "category")] == [text] * 4
    assert detail["tags"] == [text, f"{text}.1"]


@pytest.mark.parametrize(
    "lines",
    [
        ["""metadata: '{"author": "Harbour", "version": "1.5", "openclaw": {"x": [1]}}'"""],
        ["""metadata: {"author": "Harbour", "version": 1.5, "openclaw": {"x": [1]}}"""],
        ["""metadata: '{"author": "Harbour", "version": 1.5}'"""],
        ["metadata:", "  openclaw:", "    x: [1]", "  author: Harbour", "  version: 1.5"],
        ["metadata: |", "  author: Harbour", "  version: 1.5"],
    ],
)
def test_metadata_is_a_string_or_nested(anyone, tmp_path, lines):
    detail = imported(anyone, tmp_path, *lines)

    assert (detail["author"], detail["version"]) == ("Harbour", "1.5")


@pytest.mark.parametrize("metadata", ["plain words", "[a, b]", "'{broken'", "", "'[1]'"])
def test_metadata_that_says_nothing_leaves_the_top_level(anyone, tmp_path, metadata):
    detail = imported(anyone, tmp_path, f"metadata: {metadata}", "author: Harbour")

    assert detail["author"] == "Harbour"


@pytest.mark.parametrize(
    "lines",
    [
        ["allowed-tools: Read, Bash(git:*)"],
        ["allowed-tools: [Read, Write]"],
        ["allowed-tools:", "  - Read", "  - Bash(git:*)"],
    ],
)
def test_allowed_tools_are_a_string_or_a_list(anyone, tmp_path, lines):
    assert imported(anyone, tmp_path, *lines, "author: Harbour")["author"] == "Harbour"


@pytest.mark.contract("23.8")
def test_frontmatter_that_is_no_yaml_is_read_line_by_line(anyone, tmp_path):
    detail = imported(
        anyone,
        tmp_path,
        "description: Use when: the tables",
        "  go over pages.",
        "# a comment",
        "license: MIT",
        "tags:",
        "  - pdf",
        '  - "tables"',
        "runtimes: [python, node]",
        'version: "1.10"',
        "category: 'data'",
    )

    assert detail["description"] == "Use when: the tables go over pages."
    assert (detail["license"], detail["version"], detail["category"]) == ("MIT", "1.10", "data")
    assert (detail["tags"], detail["runtimes"]) == (["pdf", "tables"], ["python", "node"])


@pytest.mark.parametrize("mark", [">", "|", ">-", "|-", ">+", "|+"])
def test_a_block_is_read_line_by_line_too(anyone, tmp_path, mark):
    detail = imported(
        anyone, tmp_path, "title: PDF: tables", f"description: {mark}", "  One", "", "  two."
    )

    assert (detail["title"], detail["description"]) == ("PDF: tables", "One two.")


def test_metadata_is_found_line_by_line_too(anyone, tmp_path):
    detail = imported(
        anyone,
        tmp_path,
        "description: Use when: the tables go over pages.",
        "metadata:",
        "  author: Harbour",
        "  openclaw:",
        '    emoji: "X"',
        "  tags: pdf, tables",
        "license: MIT",
    )

    assert (detail["author"], detail["tags"]) == ("Harbour", ["pdf", "tables"])
    assert detail["license"] == "MIT"


@pytest.mark.contract("23.8")
@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_newline_and_a_byte_order_mark_are_read(anyone, tmp_path, newline, mark):
    text = "---\nname: pdf\ndescription: Extracts tables.\n---\n\nRun\nit.\n"
    text = mark + text.replace("\n", newline)
    write(tmp_path / "x" / "SKILL.md", text)

    import_skills(tmp_path)

    detail = served(anyone, "pdf")
    assert (detail["description"], detail["content"]) == ("Extracts tables.", text)
    readable = text.replace("\r", "\n", 4) if newline == "\r" else text
    assert file_of(anyone, "pdf") == readable


@pytest.mark.contract("23.8")
def test_lone_carriage_returns_among_other_newlines_stay(anyone, tmp_path):
    text = "---\r\nname: pdf\rdescription: x\n---\r\n\r\nOne\rtwo\r\n"
    write(tmp_path / "x" / "SKILL.md", text)

    import_skills(tmp_path)

    assert served(anyone, "pdf")["content"] == file_of(anyone, "pdf") == text


@pytest.mark.contract("23.8")
def test_keys_are_read_in_any_case(anyone, tmp_path):
    lines = ["Name: pdf", "DESCRIPTION: Reads.", "Tags: a, b", "Metadata:", "  Author: Harbour"]
    skill(tmp_path / "x", *lines)

    import_skills(tmp_path)

    detail = served(anyone, "pdf")
    assert (detail["description"], detail["tags"]) == ("Reads.", ["a", "b"])
    assert detail["author"] == "Harbour"


@pytest.mark.contract("22.13")
def test_keys_that_clients_read_are_served_as_they_spell_them(anyone, tmp_path):
    path = skill(tmp_path / "pdf", "Name: pdf", "Disable-Model-Invocation: true", "Tags: a")

    outcome = import_skills(tmp_path)

    assert outcome.found("format") == [f"{path}, line 3: served with a repair: name"]
    assert file_of(anyone, "pdf") == (
        f"---\nname: pdf\ndisable-model-invocation: true\nTags: a\n{DESCRIPTION}\n---\n\nDo it.\n"
    )


@pytest.mark.contract("23.6")
def test_frontmatter_that_nothing_ends_ends_above_the_text(anyone, tmp_path):
    head, body = f"---\nname: pdf\n{DESCRIPTION}\n", "# PDF\n\nDo it.\n\n---\n\nDo more.\n"
    path = write(tmp_path / "pdf" / "SKILL.md", head + body)

    outcome = import_skills(tmp_path)

    assert outcome.found("format") == [
        f"{path}, line 4: no line of --- ends the frontmatter above this line",
        f"{path}, line 4: served with a repair: frontmatter",
    ]
    assert served(anyone, "pdf")["content"] == head + body
    assert file_of(anyone, "pdf") == f"{head}---\n{body}"
    page = anyone.get("/skills/pdf").content.decode()
    assert "<p>Do it.</p>" in page
    assert "name: pdf" not in page


def test_a_value_is_put_in_quotes_where_nothing_ends_the_frontmatter(anyone, tmp_path):
    head, body = "---\nname: pdf\ndescription: Use: x\n", "# PDF\n\nDo it.\n"
    path = write(tmp_path / "pdf" / "SKILL.md", head + body)

    outcome = import_skills(tmp_path)

    assert outcome.status == 0, outcome.lines
    assert f"{path}, line 3: served with a repair: quoting" in outcome.found("format")
    assert file_of(anyone, "pdf") == f"{head.replace('Use: x', QUOTED)}---\n{body}"


def test_the_fence_is_a_whole_line(anyone, tmp_path):
    write(
        tmp_path / "x" / "SKILL.md", "---  \nname: pdf\ntitle: A --- B\nversion: ---x\n---\t\nText."
    )

    import_skills(tmp_path)

    assert served(anyone, "pdf")["title"] == "A --- B"


def test_a_ruler_in_the_body_does_not_end_the_skill(anyone, tmp_path):
    detail = imported(anyone, tmp_path, body="One.\n\n---\n\nname: other\n\n---\n\nTwo.")

    assert detail["content"].endswith("---\n\nTwo.\n")


def test_frontmatter_may_be_the_whole_file(anyone, tmp_path):
    write(tmp_path / "x" / "SKILL.md", "---\nname: pdf\n---")

    import_skills(tmp_path)

    assert served(anyone, "pdf")["content"] == "---\nname: pdf\n---"


def test_a_body_of_300_kilobytes_is_served_whole(anyone, tmp_path):
    body = "\n".join(f"Line {number} of a long text." for number in range(12_000))
    assert len(body) > 300_000

    detail = imported(anyone, tmp_path, body=body)

    lines = f"name: pdf\n{DESCRIPTION}"
    assert detail["content"] == f"---\n{lines}\n---\n\n{body}\n"
    assert detail["contextTokens"] == -(-len(detail["content"]) // 4)


def test_a_description_of_5700_characters_stays_whole(anyone, tmp_path):
    text = " ".join(f"word{number}" for number in range(1000))[:5700].strip()

    assert imported(anyone, tmp_path, f"description: {text}")["description"] == text


def test_tabs_and_line_ends_in_one_line_texts_become_spaces(anyone, tmp_path):
    detail = imported(anyone, tmp_path, r'title: "A\tB\r\nC"', r'tags: ["A\tB\nC"]')

    assert detail["title"] == detail["tags"][0] == "A B C"
