"""A skill as the folder of a `skill://` URI."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import quote, unquote

from catalogue.archives import SKILL_MD
from catalogue.models import content_digest
from catalogue.skill_md import name_of
from interfaces.guides.views import guide
from interfaces.mcp.frontmatter import frontmatter_of
from interfaces.mcp.protocol import INVALID_PARAMS, MCPError
from marketplace.secrets import mask

SCHEME, MARKETPLACE, CATALOGUE = "skill://", "agent-marketplace", "skills"


@dataclass(frozen=True)
class UriFolder:
    """A skill's folder: its URI, its SKILL.md, and its files in the format of `Skill.files`.

    `head` is the SKILL.md. In a list it is only the frontmatter, because a page of whole texts
    would be large.
    """

    uri: str
    head: str
    size: int
    digest: str
    files: list = field(default_factory=list)
    read: Callable | None = None  # the bytes of one of the files

    @cached_property
    def frontmatter(self):
        return frontmatter_of(self.head)

    def entry(self):
        skill_md = {"path": SKILL_MD, "digest": self.digest, "size": self.size}
        return {
            "uri": self.uri_of(SKILL_MD),
            "frontmatter": self.frontmatter,
            "resources": [
                {"uri": self.uri_of(file["path"]), "digest": file["digest"], "size": file["size"]}
                for file in [skill_md, *self.files]
            ],
        }

    def uri_of(self, path):
        return f"{self.uri}/{quote(path)}"


def parts_of(uri):
    """The decoded segments of a URI's path."""
    scheme, separator, path = uri.partition(SCHEME)
    try:
        parts = [unquote(part, errors="strict") for part in path.split("/")]
    except UnicodeDecodeError as error:
        raise unknown(uri) from error
    is_path = not any(part in {"", ".", ".."} or "/" in part for part in parts)
    if scheme or not separator or not is_path or {"?", "#"}.intersection(path):
        raise unknown(uri)
    return parts


def unknown(uri):
    uri = mask(uri)
    return MCPError(INVALID_PARAMS, f"Unknown skill or file: {uri}", {"uri": uri})


def own_folder(request):
    return UriFolder(f"{SCHEME}{MARKETPLACE}", *with_size_and_digest(guide("skill.md", request)))


def folder_of(skill):
    """The folder of a skill, or of one of its versions."""
    text = skill.file_text
    fields = frontmatter_of(text) or {"name": name_of(skill)}
    uri = folder_uri(skill.slug, fields["name"])
    return UriFolder(uri, *with_size_and_digest(text), skill.files, skill.bytes_of)


def listed_folder(skill):
    uri = folder_uri(skill.slug, name_of(skill))
    return UriFolder(uri, skill.head, skill.size, skill.skill_md_digest, skill.files)


def with_size_and_digest(text):
    data = text.encode()
    return text, len(data), content_digest(data)


def folder_uri(slug, name):
    # The last folder has the name of the SKILL.md.
    folder = slug if name == slug else f"{slug}/{name}"
    return f"{SCHEME}{CATALOGUE}/{folder}"
