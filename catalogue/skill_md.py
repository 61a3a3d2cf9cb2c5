"""A skill's SKILL.md, in a form that every validator of the Agent Skills format accepts.

Many imported files would be refused: for a name that is not their folder's, a field that the
format does not know, or YAML beyond its plain subset. Such a file is served with frontmatter made
from the catalogue's fields. Its own frontmatter is in `content`.
"""

import json
import re

from catalogue.frontmatter import (
    FENCED,
    MAX_DESCRIPTION,
    Frontmatter,
    Refused,
    one_line,
    read_frontmatter,
    with_frontmatter,
)

FIELDS = {"name", "description", "license", "compatibility", "allowed-tools"}
# Text that every YAML reader reads as the same string.
PLAIN = r"""(?!(?i:null|true|false|yes|no|on|off|y|n)\s*$)[A-Za-z(](?:[^#:]|:(?=\S))*"""
PLAIN_LINE = re.compile(rf"""(?:  )?[\w-]+:(?: (?:{PLAIN}|"[^"\\]*"|'[^']*'))?""")
MAX_NAME, MAX_COMPATIBILITY, MAX_WORDS = 64, 500, 100


def skill_md_of(skill):
    """The text of the skill's SKILL.md: its content, if that is valid."""
    try:
        fields, body = read_frontmatter(skill.content)
    except Refused:
        fields, body = Frontmatter({}), skill.content
    name = name_of(skill)
    if is_valid(skill.content, name, fields.fields):
        return skill.content
    description = plain(skill.description) or plain(skill.title) or name
    return with_frontmatter(frontmatter_of(skill, name, description, fields), body)


def name_of(skill):
    """The name in its SKILL.md, and of its folder."""
    return skill.slug[:MAX_NAME].rstrip("-")


def frontmatter_of(skill, name, description, fields):
    format_fields = {
        "name": name,
        "description": description,
        "license": plain(skill.license),
        "compatibility": words_of(fields, "compatibility")[:MAX_COMPATIBILITY],
        "allowed-tools": words_of(fields, "allowed-tools"),
    }
    metadata = {
        "title": plain(skill.title),
        "category": plain(skill.category),
        "tags": plain(", ".join(skill.tags)),
        "runtimes": plain(", ".join(skill.runtimes)),
        "author": plain(skill.author),
        "version": plain(skill.version),
    }
    return f"{yaml_lines(format_fields)}metadata:\n{yaml_lines(metadata, indent='  ')}"


def yaml_lines(fields, indent=""):
    return "".join(f"{indent}{name}: {scalar(text)}\n" for name, text in fields.items() if text)


def scalar(text):
    return text if re.fullmatch(PLAIN, text) else json.dumps(text, ensure_ascii=False)


def is_valid(text, name, fields):
    """Whether the text is certainly valid: one plain `name: text` on each line."""
    match = FENCED.match(text)
    lines = match[1].splitlines() if match else []
    format_fields = {"description": "", **fields}
    metadata = format_fields.pop("metadata", {})
    return (
        all(PLAIN_LINE.fullmatch(line) and line.isprintable() for line in lines)
        and "---" not in "".join(lines)
        and format_fields.keys() <= FIELDS
        and isinstance(metadata, dict)
        # An empty one is null, and a name such as `on` is true, to some readers of YAML.
        and all(re.fullmatch(PLAIN, name) for name in metadata)
        and all(
            isinstance(text, str) and text for text in [*format_fields.values(), *metadata.values()]
        )
        # Two lines with the same name make one field.
        and len(lines) == len(fields) + len(metadata)
        and format_fields.get("name") == name
        and 0 < len(format_fields["description"]) == len(plain(format_fields["description"]))
        and len(format_fields.get("compatibility", "")) <= MAX_COMPATIBILITY
    )


def words_of(fields, name):
    value = fields.get(name)
    words = value[:MAX_WORDS] if isinstance(value, list) else [value]
    return plain(
        " ".join(word[:MAX_DESCRIPTION] for word in words if isinstance(word, str))[
            :MAX_DESCRIPTION
        ]
    )


def plain(text):
    """One line without `---`, which some readers take as the end of the frontmatter.

    Cut to the format's maximum for a description, in UTF-16 code units, as the CLI counts.
    """
    # YAML forbids these two noncharacters.
    line = one_line(text.translate({0xFFFE: " ", 0xFFFF: " "})).replace("---", "—")
    return line.encode("utf-16-le")[: 2 * MAX_DESCRIPTION].decode("utf-16-le", "ignore").strip()
