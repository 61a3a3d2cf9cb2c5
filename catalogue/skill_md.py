"""A skill's SKILL.md as it is served: the author's file, or the smallest repair of it."""

import json
import re

from catalogue.frontmatter import MAX_DESCRIPTION, one_line, utf16_cut
from catalogue.repairs import repair

MAX_NAME = 64
# Text that every YAML reader reads as the same string.
PLAIN = r"""(?!(?i:null|true|false|yes|no|on|off|y|n)\s*$)[A-Za-z(](?:[^#:]|:(?=\S))*"""


def repaired(skill):
    """The Repaired content of a skill."""
    name = name_of(skill)
    return repair(skill.content, name, plain(skill.description) or plain(skill.title) or name)


def name_of(skill):
    """The name in its SKILL.md, and of its folder."""
    return skill.slug[:MAX_NAME].rstrip("-")


def yaml_lines(fields):
    return "".join(f"{name}: {scalar(text)}\n" for name, text in fields.items() if text)


def scalar(text):
    return text if re.fullmatch(PLAIN, text) else json.dumps(text, ensure_ascii=False)


def plain(text):
    """One line without `---`, which some readers take as the end of the frontmatter.

    Cut to the format's maximum for a description, in UTF-16 code units, as the CLI counts.
    """
    # YAML forbids these two noncharacters.
    line = one_line(text.translate({0xFFFE: " ", 0xFFFF: " "})).replace("---", "—")
    return utf16_cut(line, MAX_DESCRIPTION).strip()
