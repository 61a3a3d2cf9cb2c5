"""The check list of a preview: what to look at before importing a file."""

import re
from pathlib import PurePosixPath
from typing import NamedTuple

from django.template.defaultfilters import filesizeformat, pluralize

from catalogue.frontmatter import RECOMMENDED_TOKENS, read_frontmatter
from catalogue.models import Skill
from catalogue.repairs import lines_between

MAX_NAMED = 5  # files that a line names
# Those that skills-ref, the validator of the format, knows. Clients ignore any other.
FORMAT_FIELDS = {"name", "description", "license", "compatibility", "allowed-tools", "metadata"}
SCRIPTS = {
    ".bash",
    ".bat",
    ".cjs",
    ".cmd",
    ".js",
    ".mjs",
    ".pl",
    ".ps1",
    ".py",
    ".rb",
    ".sh",
    ".ts",
}
# The keys and tokens of well-known services, by how they begin.
SECRET = re.compile(
    rb"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    rb"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    rb"|\bgh[opsur]_[0-9A-Za-z]{36}|\bgithub_pat_\w{50}"
    rb"|\bglpat-[\w-]{20}|\bxox[abprs]-[\w-]{10}|\bsk-[\w-]{32}|\bAIza[\w-]{35}"
)


class Check(NamedTuple):
    name: str
    is_good: bool
    text: str


def checks_of(file, entry):
    """The Checks of a file and the folder that belongs to it."""
    files = file.folder.files if file.folder else []
    return [
        format_check(entry),
        Check("License", bool(entry.license), entry.license or "None."),
        secrets_check(file, files),
        size_check(entry, files),
        scripts_check(files),
    ]


def format_check(entry):
    text = "Valid."
    if isinstance(entry, Skill) and entry.repairs:
        lines = lines_between(entry.content, entry.repaired.text)
        text = f"Repaired: {', '.join(entry.repairs)} ({in_lines(lines)})."
    if isinstance(entry, Skill) and (names := fields_of(entry) - FORMAT_FIELDS):
        text += f" Strict validators refuse: {', '.join(sorted(names))}."
    return Check("Format", not entry.repairs, text)


def fields_of(skill):
    """The names of the fields in its SKILL.md."""
    return set(read_frontmatter(skill.repaired.text)[0].fields)


def in_lines(numbers):
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    return f"lines {named(list(map(str, numbers)))}"


def secrets_check(file, files):
    holders = [file.path.name] if SECRET.search(file.text.encode()) else []
    holders += [
        other["path"]
        for other in files
        if other["is_text"] and SECRET.search(file.folder.places[other["path"]].read_bytes())
    ]
    text = f"Possible keys in {named(holders)}." if holders else "None found."
    return Check("Secrets", not holders, text)


def size_check(entry, files):
    tokens = (len(entry.content) + 3) // 4
    text = f"About {tokens:,} tokens"
    if files:
        size = filesizeformat(sum(file["size"] for file in files))
        text += f", and {len(files)} file{pluralize(files)} ({size})"
    too_long = (
        f"; the recommended maximum is {RECOMMENDED_TOKENS:,}"
        if tokens > RECOMMENDED_TOKENS
        else ""
    )
    return Check("Size", not too_long, f"{text}{too_long}.")


def scripts_check(files):
    scripts = [
        file["path"]
        for file in files
        if file["is_executable"] or PurePosixPath(file["path"]).suffix.lower() in SCRIPTS
    ]
    text = f"Agents may run {named(scripts)}. Review before you import." if scripts else "None."
    return Check("Scripts", not scripts, text)


def named(paths):
    more = len(paths) - MAX_NAMED
    return ", ".join(paths[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
