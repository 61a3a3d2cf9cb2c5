"""Findings about a text and its files, for staff to read before they publish them.

Pure functions: they read neither the database nor the settings. `look-alike` needs the
database, so `catalogue/models/look_alikes.py` has it.
Each takes time linear in what it reads.
"""

from contextlib import suppress
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple

from catalogue.archive_members import Room, Unread, members_of
from catalogue.disguises import disguises, wide_gaps
from catalogue.fences import Refused, line_at, missing_fence
from catalogue.file_kinds import as_text, unreadable_kind
from catalogue.findings import Finding, limited
from catalogue.frontmatter import RECOMMENDED_TOKENS
from catalogue.frontmatter_findings import escaped_characters, escaped_findings, granting_fields
from catalogue.licenses import is_accepted
from catalogue.markdown_findings import commands, hidden_markup, long_gaps
from catalogue.markdown_links import dead_links, link_notes
from catalogue.repairs import line_of_repair
from catalogue.secret_shapes import secrets_in
from marketplace.hidden_text import (
    Place,
    described,
    hidden_characters,
    hidden_runs,
    refused_characters,
    visible,
)

NOT_ENDED = "no line of --- ends the frontmatter above this line"
MAX_PATH = 200  # characters of a member's path
PIECE, OVERLAP = 256 * 1024, 16 * 1024  # bytes of a binary that are searched at a time
MARKDOWN = {".md", ".markdown", ".mdown", ".mdx", ".mdc"}
SCRIPTS = {
    *(".bash", ".bat", ".cjs", ".cmd", ".js", ".mjs", ".pl", ".ps1", ".py", ".rb", ".sh", ".ts"),
}


class Facts(NamedTuple):
    """The facts about an entry that its texts do not hold.

    `licenses` are the SPDX identifiers that the marketplace accepts; none means any. `repairs` are
    names, `left_out` are (path, reason), and `unknown_skills` are slugs.
    """

    license: str
    description: str
    licenses: tuple = ()
    repairs: tuple = ()
    left_out: tuple = ()
    unknown_skills: tuple = ()


def inspect(path, text, facts, files=None, read=None):
    """All findings of an entry: of its file, of the facts, and of the folder if there is one."""
    findings = [*inspect_main_file(path, text), *inspect_facts(path, text, facts)]
    if files is not None:
        findings += inspect_folder(path, text, files, read)
    return findings


def refusals(path, text):
    """Why a file that agents read is refused: one sentence for each line and kind."""
    refused = refused_characters(text) or escaped_characters(text)
    return [f"{path}, line {line}: {what}" for line, what in refused]


def inspect_texts(texts):
    """The findings of single fields, as `{name: text}`. Their path is the name."""
    return [
        finding
        for name, text in texts.items()
        for finding in (*hidden_findings(name, text), *secret_findings(name, text))
    ]


def inspect_main_file(path, text):
    """The findings of a SKILL.md or a persona's file by itself."""
    return [
        *fence_findings(path, text),
        *hidden_findings(path, text),
        *escaped_findings(path, text),
        *limited("script", path, granting_fields(text)),
        *limited("script", path, in_lines(text, commands(text))),
        *markdown_findings(path, text),
        *secret_findings(path, text),
        *size_findings(path, text),
    ]


def fence_findings(path, text):
    place = None
    with suppress(Refused):  # a text from before such files were refused
        place = missing_fence(text)
    return [] if place is None else [Finding("format", path, line_at(text, place), NOT_ENDED)]


def inspect_folder(path, text, files, read):
    """The findings of the files beside a SKILL.md, and of its links to them.

    `files` are like `Skill.files`. `read` returns the bytes of a path, and is called once for each.
    If it returns None, that file is left out.
    """
    paths = [file["path"] for file in files]
    findings, archives = limited("dead-link", path, dead_links(text, [path, *paths])), Room()
    for file in files:
        data = read(file["path"])
        if data is None:
            continue
        findings += inspect_name(file["path"])
        if is_script(file, data):
            findings.append(Finding("script", file["path"], None, "agents may run it"))
        findings += inspect_file(file["path"], data, archives)
    return findings


def is_script(file, data=b""):
    """Whether agents may run a file. Without its bytes, only its bit and its name can tell."""
    suffix = PurePosixPath(file["path"]).suffix.lower()
    return file["is_executable"] or suffix in SCRIPTS or data.startswith(b"#!")


def inspect_name(path):
    places = chain(hidden_characters(path), disguises(path))
    return [
        Finding("hidden-text", visible(path), None, f"in its name: {what}") for _, what in places
    ]


def inspect_file(path, data, archives=None):
    """The findings of a file beside a SKILL.md. `archives` is the Room of its folder."""
    text = as_text(data)
    if text is None:
        return binary_findings(path, data, archives or Room())
    findings = hidden_findings(path, text, honest="\f")
    if PurePosixPath(path).suffix.lower() in MARKDOWN:
        findings += markdown_findings(path, text)
    return findings + secret_findings(path, text)


def repair_findings(path, text, repairs):
    return [
        Finding("format", path, line_of_repair(text, name), f"served with a repair: {name}")
        for name in repairs
    ]


def inspect_facts(path, text, facts):
    findings = repair_findings(path, text, facts.repairs)
    findings += license_findings(path, facts.license, facts.licenses)
    if not facts.description.strip():
        findings.append(Finding("description", path, None, "it has none"))
    findings += [Finding("left-out", other, None, reason) for other, reason in facts.left_out]
    return findings + unknown_skill_findings(path, facts.unknown_skills)


def license_findings(path, name, licenses):
    if not name:
        return [Finding("license", path, None, "it names none")]
    if licenses and not is_accepted(name, licenses):
        return [Finding("license", path, None, f"{name} is not accepted here")]
    return []


def unknown_skill_findings(path, slugs):
    return [
        Finding("unknown-skill", path, None, f"no published skill is called {slug}")
        for slug in slugs
    ]


def hidden_findings(path, text, honest=""):
    """The hidden characters of a text, but for the control characters that are honest in it."""
    hidden, controls = [], []
    for run in hidden_runs(text):
        if run.kind != "control":
            hidden.append(run)
        elif text[run.start : run.end].strip(honest):
            controls.append(run)
    return [
        *limited("hidden-text", path, described(text, hidden)),
        *limited("hidden-text", path, in_lines(text, disguises(text))),
        *limited("long-gap", path, in_lines(text, wide_gaps(text))),
        *limited("control-characters", path, described(text, controls)),
    ]


def markdown_findings(path, text):
    return [
        *limited("hidden-text", path, chain(hidden_markup(text), link_notes(text))),
        *limited("long-gap", path, long_gaps(text)),
    ]


def secret_findings(path, text):
    return limited("secret", path, in_lines(text, secrets_in(text)))


def in_lines(text, places):
    """`[(line, what)]` of `(position, what)`, without duplicates."""
    place = Place(text)
    return dict.fromkeys((place.line_of(position), what) for position, what in sorted(places))


def size_findings(path, text):
    tokens = (len(text) + 3) // 4
    if tokens <= RECOMMENDED_TOKENS:
        return []
    advice = f"about {tokens:,} tokens; the recommended maximum is {RECOMMENDED_TOKENS:,}"
    return [Finding("size", path, None, advice)]


def binary_findings(path, data, archives):
    kind = unreadable_kind(data)
    if not kind.endswith("archive"):
        findings = [Finding("unreadable-file", path, None, kind)] if kind else []
        return findings + secret_bytes(path, data)
    inner = []
    try:
        for member in members_of(data, kind, archives):
            inner += member_findings(f"{path}!{visible(member.path)[:MAX_PATH]}", member.data)
    except Unread as error:
        kind = f"{kind}: {error}"
    return [Finding("unreadable-file", path, None, kind), *inner]


def member_findings(path, data):
    text = as_text(data)
    if text is None:
        kind = unreadable_kind(data)
        if kind.endswith("archive"):
            return [Finding("unreadable-file", path, None, f"{kind} in an archive")]
        return secret_bytes(path, data)
    return secret_findings(path, text)


def secret_bytes(path, data):
    """The secrets in a binary. UTF-16 has a NUL beside each letter of ASCII."""
    secrets, lines = {}, 0
    for start in range(0, len(data), PIECE):  # because copies of all of it fill the memory
        piece = data[start : start + PIECE + OVERLAP].replace(b"\0", b"").decode("latin-1")
        secrets |= {(lines + line, what): None for line, what in in_lines(piece, secrets_in(piece))}
        lines += data.count(b"\n", start, start + PIECE)
    return limited("secret", path, secrets)
