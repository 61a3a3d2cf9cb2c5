"""Agent Skills discovery, for the `skills` CLI (npm) and whatever follows the same convention.

The CLI downloads every skill of an index, even to install one. So the index of the marketplace
holds its own skill alone; each skill and each persona has an index below its page.
Nothing here counts as a download: that is an agent's install.
"""

import json
import re
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import orjson

from catalogue.importing.frontmatter import FENCED, Fields, Refused, one_line, read_frontmatter
from catalogue.models import Skill
from catalogue.views import PersonaViewSet, SkillViewSet
from installs.exceptions import PersonaRequiresPayment
from interfaces.guides.views import skill_md
from marketplace.api.pagination import versions, versions_of
from marketplace.api.viewsets import PublicViewSet
from marketplace.db.compiled_queries import BindParam, CompiledQuery, InlineConstant
from marketplace.http_cache.responses import public_response
from marketplace.http_cache.validators import ALWAYS_FRESH, Validator

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
FORMAT = {"name", "description", "license", "compatibility", "allowed-tools"}
# What every reader of YAML takes for a text, and for the same one.
PLAIN = r"""(?!(?i:null|true|false|yes|no|on|off|y|n)$)[A-Za-z(](?:[^#:]|:(?=\S))*"""
PLAIN_LINE = re.compile(rf"""(?:  )?[\w-]+:(?: (?:{PLAIN}|"[^"\\]*"|'[^']*'))?""")
MAX_NAME, MAX_TEXT, MAX_COMPATIBILITY, MAX_WORDS = 64, 1024, 500, 100

IN_BUNDLE = (
    Skill.objects.published()
    .with_row_version()
    .filter(
        personas__slug=BindParam("slug"),
        personas__status=InlineConstant("published"),
        personas__price_cents=0,
    )
    .order_by("slug")
)
bundled = CompiledQuery(lambda: IN_BUNDLE)
versions_of_bundled = CompiledQuery(lambda: versions_of(IN_BUNDLE))


class DiscoveryViewSet(PublicViewSet):
    default_response_headers = {"Cache-Control": "public, no-cache"}

    def marketplace(self, request):
        text = skill_md(request)
        fields, _ = read_frontmatter(text)
        file = SkillFile("/skill.md", fields.line("name"), fields.line("description"), text)
        return index([file], ALWAYS_FRESH)

    def skill(self, request, slug):
        skill, validator = SkillViewSet.get_published(slug)
        return index([file_of(skill)], validator)

    def persona(self, request, slug):
        """The skills that a persona bundles; one with a price is refused as its install is."""
        persona, _ = PersonaViewSet.get_published(slug)
        if not persona.is_free:
            raise PersonaRequiresPayment
        skills = bundled(slug=slug)
        # A persona that is withdrawn or gets a price has no such skills any more.
        seen = [versions(skill, IN_BUNDLE) for skill in skills] or None
        validator = Validator(partial(versions_of_bundled, slug=slug), seen)
        return index([file_of(skill) for skill in skills], validator)

    def skill_file(self, request, slug):
        skill, validator = SkillViewSet.get_published(slug)
        content_type = "text/markdown; charset=utf-8"
        return public_response(file_of(skill).text, validator, content_type=content_type)


class SkillFile(NamedTuple):
    url: str
    name: str
    description: str
    text: str

    def entry(self):
        return {
            "name": self.name,
            "type": "skill-md",
            "description": self.description,
            "url": self.url,
            "digest": f"sha256:{sha256(self.text.encode()).hexdigest()}",
        }


def index(files, validator):
    content = orjson.dumps({"$schema": SCHEMA, "skills": [file.entry() for file in files]})
    return public_response(content.decode(), validator, content_type="application/json")


def file_of(skill):
    """The skill's own text, below a frontmatter that every validator of the format accepts.

    Many files out in the wild would be refused: for a name that is not their folder's, a field
    that the format does not know, or YAML beyond its plain subset. Their frontmatter is written
    anew, from what the catalogue shows; what else it said is in `content`.
    """
    try:
        fields, body = read_frontmatter(skill.content)
    except Refused:
        fields, body = Fields({}), skill.content
    name = skill.slug[:MAX_NAME].rstrip("-")
    description = plain(skill.description) or plain(skill.title) or name
    if is_valid(skill.content, name, fields.fields):
        description, text = fields.fields["description"], skill.content
    else:
        frontmatter = frontmatter_of(skill, name, description, fields)
        text = f"---\n{frontmatter}---\n\n{body.strip(chr(10))}\n"
    return SkillFile(f"/api/v1/skills/{skill.slug}/SKILL.md", name, description, text)


def frontmatter_of(skill, name, description, fields):
    own = {
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
    return f"{lines_of(own)}metadata:\n{lines_of(metadata, indent='  ')}"


def lines_of(fields, indent=""):
    return "".join(f"{indent}{name}: {quoted(text)}\n" for name, text in fields.items() if text)


def quoted(text):
    return text if re.fullmatch(PLAIN, text) else json.dumps(text, ensure_ascii=False)


def is_valid(text, name, fields):
    """Whether the text is surely valid as it stands: one plain `name: text` on each line."""
    fenced = FENCED.match(text)
    lines = fenced[1].splitlines() if fenced else []
    own = {"description": "", **fields}
    metadata = own.pop("metadata", {})
    return (
        all(PLAIN_LINE.fullmatch(line) and line.isprintable() for line in lines)
        and "---" not in "".join(lines)
        and own.keys() <= FORMAT
        and isinstance(metadata, dict)
        and all(isinstance(text, str) for text in own.values())
        # Two lines of one name would make one field.
        and len(lines) == len(fields) + len(metadata)
        and own.get("name") == name
        and 0 < len(own["description"]) == len(plain(own["description"]))
        and len(own.get("compatibility", "")) <= MAX_COMPATIBILITY
    )


def words_of(fields, name):
    value = fields.get(name)
    words = value[:MAX_WORDS] if isinstance(value, list) else [value]
    return plain(" ".join(word[:MAX_TEXT] for word in words if isinstance(word, str))[:MAX_TEXT])


def plain(text):
    """One line without `---`, where some readers would take the frontmatter for ended.

    As much of it as the format allows a description, in the units that the CLI counts: UTF-16's.
    """
    line = one_line(text).replace("---", "—")
    return line.encode("utf-16-le")[: 2 * MAX_TEXT].decode("utf-16-le", "ignore").strip()
