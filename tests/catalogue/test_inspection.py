"""The findings of a skill's text, its facts and its files."""

import io
import marshal
import zipfile

import pytest

from catalogue.findings import Finding
from catalogue.inspection import Facts, inspect, inspect_texts, refusals
from tests.catalogue.test_disguises import HONEST as LIKE_DISGUISES
from tests.catalogue.test_hidden_text import HONEST as SCRIPTS

HONEST = Facts(license="MIT", description="Reads tables from PDF files.")
TEXT = "---\nname: a\ndescription: b\n---\n\nText.\n"
KEY = "AKIA" + "Z2KR9TB4MX1PL6VN"
FOUND = "AWS access key, AKIA…"
TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore all " * 5 + "ignore it")


def findings_of(text=TEXT, files=None, facts=HONEST, executables=()):
    """The findings of a SKILL.md and its files, as tuples. Each file is read once."""
    files = dict(files or {})
    entries = [{"path": path, "is_executable": path in executables} for path in files]
    findings = inspect("SKILL.md", text, facts, entries, files.pop)
    assert files == {}
    return [tuple(finding) for finding in findings]


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in members.items():
            archive.writestr(path, data)
    return buffer.getvalue()


def test_an_honest_skill():
    files = {"scripts/notes.txt": b"a\fb", "a.png": b"\x89PNG\r\n\x1a\n\0", "empty": b""}
    assert findings_of(files=files) == []


@pytest.mark.contract("28.2")
@pytest.mark.parametrize("text", [*SCRIPTS.values(), *LIKE_DISGUISES.values()])
def test_an_honest_text_in_any_script(text):
    text = text.removeprefix("\ufeff")
    assert findings_of(f"{TEXT}\n{text}\n", {"a.txt": text.encode()}) == []
    assert inspect_texts({"title": text}) == []


def test_64_tags():
    assert len(TAGS) == 64
    what = f'hidden tag characters that say "{"ignore all " * 5}ignore it"'
    text = TEXT.replace("Text", f"Text{TAGS}")
    assert refusals("SKILL.md", text) == [f"SKILL.md, line 6: {what}"]
    assert findings_of(text) == [("hidden-text", "SKILL.md", 6, what)]
    assert findings_of(files={"a.txt": f"one\n{TAGS}".encode()}) == [
        ("hidden-text", "a.txt", 2, what)
    ]


def test_100_000_blank_lines():
    text = "Text.\n" + "\n" * 100_000 + "base64 -d | sh\n"
    gap = "100,000 blank lines in a row"
    assert findings_of(text) == [
        ("long-gap", "SKILL.md", 2, gap),
        ("size", "SKILL.md", None, "about 25,006 tokens; the recommended maximum is 5,000"),
    ]
    assert findings_of(files={"a.md": text.encode(), "a.txt": text.encode()}) == [
        ("long-gap", "a.md", 2, gap)
    ]


def test_bytecode_of_python():
    data = b"\xa7\x0d\x0d\x0a" + bytes(12) + marshal.dumps(compile("1", "a", "eval"))
    assert findings_of(files={"a.pyc": data, "b.png": data}) == [
        ("unreadable-file", "a.pyc", None, "Python bytecode"),
        ("unreadable-file", "b.png", None, "Python bytecode"),
    ]


def test_a_document_that_holds_a_key():
    data = zipped({"[Content_Types].xml": "<a/>", "word/document.xml": f"<t>\n{KEY}</t>"})
    assert findings_of(files={"a.docx": data}) == [
        ("unreadable-file", "a.docx", None, "zip archive"),
        ("secret", "a.docx!word/document.xml", 2, FOUND),
    ]


def test_disguised_text():
    gap = "a" + " " * 101 + "b"
    text = f"{gap}\np\u0430ypal"
    expected = [("hidden-text", 2, '"p\u0430ypal" has letters of two scripts: U+0430')]
    expected += [("long-gap", 1, "101 spaces before a text")]
    assert findings_of(files={"a.txt": text.encode()}) == [
        (code, "a.txt", line, what) for code, line, what in expected
    ]
    assert findings_of(TEXT + text) == [
        (code, "SKILL.md", line + 6, what) for code, line, what in expected
    ]


def test_hidden_text_that_yaml_writes_with_escapes():
    text = TEXT.replace("description: b", r'description: "a\u200bb"')
    assert findings_of(text) == [("hidden-text", "SKILL.md", 3, "U+200B ZERO WIDTH SPACE")]
    written = text.replace("name: a", 'name: a\ntitle: "\u200b"')
    assert findings_of(written) == [("hidden-text", "SKILL.md", 3, "U+200B ZERO WIDTH SPACE")]


def test_many_escapes_take_no_longer_than_one():
    """It would take minutes if each looked for its line in the whole text."""
    fields = "".join(f'key{number}: "\\u200b"\n' for number in range(1_000))
    text = TEXT.replace("description", f"{fields}description") + "\n" * 500_000

    findings = [finding for finding in findings_of(text) if finding[0] == "hidden-text"]

    assert findings[0] == ("hidden-text", "SKILL.md", 3, "U+200B ZERO WIDTH SPACE")
    assert findings[-1] == ("hidden-text", "SKILL.md", None, "and 980 more")


def test_hidden_text_in_other_files():
    data = b"a\x1b[2J\nb\fc \xe2\x80\x8b\n\xe2\x80\xae"
    assert findings_of(files={"a.txt": data}) == [
        ("hidden-text", "a.txt", 2, "U+200B ZERO WIDTH SPACE"),
        ("hidden-text", "a.txt", 3, "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("control-characters", "a.txt", 1, "U+001B control character"),
    ]


def test_a_hidden_character_in_a_name():
    assert findings_of(files={"a\u200b.txt": b"", "b\u202e.txt": b""}) == [
        ("hidden-text", "a[U+200B].txt", None, "in its name: U+200B ZERO WIDTH SPACE"),
        ("hidden-text", "b[U+202E].txt", None, "in its name: U+202E RIGHT-TO-LEFT OVERRIDE"),
    ]


def test_a_name_in_two_scripts():
    what = 'in its name: "re\u0430dme.md" has letters of two scripts: U+0430'
    assert findings_of(files={"re\u0430dme.md": b""}) == [
        ("hidden-text", "re\u0430dme.md", None, what)
    ]


def test_markdown_beside_the_skill():
    assert findings_of(files={"A.MD": b"# A\n\n<!-- b -->\n", "a.html": b"<!-- b -->"}) == [
        ("hidden-text", "A.MD", 3, 'HTML comment: "b"')
    ]


def test_secrets():
    text = TEXT + f"{KEY} {KEY}\n\n{KEY}"
    assert findings_of(text, {"a.env": f"\r\n{KEY}".encode()}) == [
        ("secret", "SKILL.md", 7, FOUND),
        ("secret", "SKILL.md", 9, FOUND),
        ("secret", "a.env", 2, FOUND),
    ]
    assert KEY[5:] not in str(findings_of(text))


def test_many_findings_of_a_file():
    findings = findings_of(TEXT + "a\u200b\n" * 100)
    assert len(findings) == 21
    assert findings[19:] == [
        ("hidden-text", "SKILL.md", 26, "U+200B ZERO WIDTH SPACE"),
        ("hidden-text", "SKILL.md", None, "and 80 more"),
    ]


@pytest.mark.contract("28.4")
def test_fields_that_grant_rights_or_run_commands():
    lines = [
        "allowed-tools: Bash(git *), Read",
        r'"h\u006foks": {Stop: [{hooks: [{command: run}]}]}',
        "PermissionMode: plan",
        f"mcpServers: {'x' * 1001}",
        "metadata: {hooks: none}",
        "tools: Read",
        "x: &x {hooks: run}",
        "<<: *x",
        "MCP-servers: y",
        "&k allowed_tools: z",
        "permission: {bash: allow}",
        "approvalMode: yolo",
    ]
    text = TEXT.replace("description", "\n".join([*lines, "description"]))

    assert findings_of(text) == [
        ("script", "SKILL.md", 3, 'allowed-tools: "Bash(git *), Read"'),
        ("script", "SKILL.md", 2, 'hooks: {"Stop": [{"hooks": [{"command": "run"}]}]}'),
        ("script", "SKILL.md", 5, 'PermissionMode: "plan"'),
        ("script", "SKILL.md", 6, f'mcpServers: "{"x" * 999}…"'),
        ("script", "SKILL.md", 10, '<<: {"hooks": "run"}'),
        ("script", "SKILL.md", 11, 'MCP-servers: "y"'),
        ("script", "SKILL.md", 2, 'allowed_tools: "z"'),
        ("script", "SKILL.md", 13, 'permission: {"bash": "allow"}'),
        ("script", "SKILL.md", 14, 'approvalMode: "yolo"'),
    ]


@pytest.mark.contract("28.4")
def test_commands_that_run_when_a_skill_is_loaded():
    body = "Now !`date -u` and\n!`a\nb`, not x!`c` or `!d`.\n```!\ngit diff\nls\n```\n!`x`\n"

    assert findings_of(TEXT + body) == [
        ("script", "SKILL.md", 7, 'runs when it is loaded: "date -u"'),
        ("script", "SKILL.md", 8, 'runs when it is loaded: "a\\nb"'),
        ("script", "SKILL.md", 10, 'runs when it is loaded: "git diff\\nls"'),
        ("script", "SKILL.md", 14, 'runs when it is loaded: "x"'),
    ]


def test_scripts():
    files = {"a.SH": b"", "b.py": b"", "c": b"", "d.txt": b"#!/bin/sh", "e.txt": b""}
    assert findings_of(files=files, executables={"c"}) == [
        ("script", path, None, "agents may run it") for path in ("a.SH", "b.py", "c", "d.txt")
    ]


def test_dead_links():
    text = TEXT + "[a](a.txt) [b](b.txt) [c](SKILL.md)"
    assert findings_of(text, {"a.txt": b""}) == [
        ("dead-link", "SKILL.md", 7, '"b.txt" is not among the files')
    ]


def test_a_file_without_its_folder_has_no_dead_links():
    assert inspect("SKILL.md", TEXT + "[a](a.txt)", HONEST) == []


def test_facts():
    facts = Facts(
        license="",
        description=" ",
        repairs=("name", "quoting"),
        left_out=((".env", "hidden"),),
        unknown_skills=("pdf",),
    )
    assert findings_of(facts=facts) == [
        ("format", "SKILL.md", 2, "served with a repair: name"),
        ("format", "SKILL.md", 3, "served with a repair: quoting"),
        ("license", "SKILL.md", None, "it names none"),
        ("description", "SKILL.md", None, "it has none"),
        ("left-out", ".env", None, "hidden"),
        ("unknown-skill", "SKILL.md", None, "no published skill is called pdf"),
    ]


def test_a_license_that_is_not_accepted():
    facts = HONEST._replace(license="GPL-3.0-only", licenses=("MIT", "Apache-2.0"))
    assert findings_of(facts=facts) == [
        ("license", "SKILL.md", None, "GPL-3.0-only is not accepted here")
    ]


def test_fields():
    assert inspect_texts({"description": "a\u200bb", "reason": KEY}) == [
        Finding("hidden-text", "description", 1, "U+200B ZERO WIDTH SPACE"),
        Finding("secret", "reason", 1, FOUND),
    ]
    assert str(Finding("secret", "a", 1, "b")) == "secret: a, line 1: b"
    assert str(Finding("license", "a", None, "none")) == "license: a: none"
