"""The versions of an entry in the model, and their representations."""

import hashlib
from dataclasses import dataclass
from typing import Any

from tests.system.matchers import ShortRepr
from tests.system.model_data import TOOLS


def digest_of(content):
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


def agent_file(frontmatter, *, is_free=True):
    """What the API shows of a persona's frontmatter."""
    shown = frontmatter or None if is_free else None
    return {"frontmatter": shown, "tools": TOOLS.get(frontmatter)}


@dataclass
class Recall:
    reason: str
    at: Any
    place: int  # in the sequence of the staff's actions, as `edits` numbers them

    def as_dict(self):
        return {"reason": self.reason, "at": self.at}


@dataclass(eq=False)
class Version(ShortRepr):
    """A text that was published."""

    number: int
    label: str
    title: str
    description: str
    frontmatter: str
    content: str
    digest: str
    created: Any
    recall: Recall | None = None
    is_purged: bool = False

    def __post_init__(self):
        self.context_tokens = -(-len(self.content) // 4)
        self.content_digest = digest_of(self.content)

    def __repr__(self):
        return f"<version {self.number}>"

    def values(self):
        """The entry's values after a restore."""
        about = {"title": self.title, "description": self.description, "version": self.label}
        if self.frontmatter is None:
            return about | {"content": self.content}
        return about | {"content": self.content, "frontmatter": self.frontmatter}

    @property
    def file_text(self):
        return (self.frontmatter or "") + self.content

    def purgeable(self):
        """What a purge forbids, by digest: its text, and the prompt in it."""
        texts = {self.digest: self.file_text}
        return ({self.content_digest: self.content} | texts).items() if not self.is_purged else ()

    def purge(self):
        """Its number, its digest and its size stay."""
        self.label = self.title = self.description = self.content = ""
        self.frontmatter = self.frontmatter and ""
        self.is_purged = True


class Versioned:
    """An entry with `versions`, the oldest first, and a text of its own."""

    def keep_version(self, now):
        """Keep the text as a version if it is published, and differs from that of the newest."""
        if self.is_published and self.is_new(self.digest):
            present = self.present
            present.number, present.created = len(self.versions) + 1, now
            self.versions.append(present)

    def is_new(self, digest):
        """Whether a published text with this digest is a new version."""
        return not self.versions or self.versions[-1].digest != digest

    @property
    def present(self):
        """Its current text, which is that of its newest version while it is published."""
        about = (self.fields[name] for name in ("version", "title", "description"))
        text = self.frontmatter, self.content, self.digest
        return Version(len(self.versions), *about, *text, self.updated)

    def has_now(self, version):
        return self.is_published and self.digest == version.digest

    def has_prompt_of(self, version):
        """Whether its text, while it is not published, has the prompt of this version alone."""
        prompt = digest_of(self.content)
        same = {other.digest for other in self.versions if other.content_digest == prompt}
        return not self.is_published and prompt == version.content_digest and len(same) == 1

    def has_readable(self, content_digest):
        """Whether agents can read a version with this content."""
        same = [version for version in self.versions if version.content_digest == content_digest]
        return any(not version.recall for version in same)

    def with_text(self, digest):
        """Each number of a text, newest first."""
        return [version for version in reversed(self.versions) if version.digest == digest]

    def numbered(self, number):
        """The readable version with this number, or None."""
        versions = self.versions[number - 1 : number] if number else []
        return next((version for version in versions if not version.recall), None)

    def used(self, install, *, recalled=False):
        """The version that an agent uses, or None: if several have a digest, that of its number.

        With `recalled`, a recalled one.
        """
        same = [v for v in self.with_text(install.digest) if bool(v.recall) == recalled]
        by_number = [version for version in same if version.number == install.number]
        return (by_number or same or [None])[0]

    # Representations

    def listed_versions(self):
        return [
            {**self.numbered_row(version), "recall": version.recall and version.recall.as_dict()}
            for version in reversed(self.versions)
        ]

    def numbered_row(self, version):
        return {
            "number": version.number,
            "version": version.label,
            "digest": version.digest,
            "contextTokens": version.context_tokens,
            "createdAt": version.created,
            "isCurrent": version is self.versions[-1],
        }

    def version_detail(self, version):
        row = {
            **self.numbered_row(version),
            "slug": self.slug,
            "title": version.title,
            "description": version.description,
            "content": None if self.price_cents else version.content,
        }
        if self.kind == "skills":
            return {**row, "files": []}
        return {**row, **agent_file(version.frontmatter, is_free=not self.price_cents)}

    # The text that an agent gets

    def given(self, install):
        """The text for an agent with this install, or without one."""
        return (install and install.pinned) or self.present

    def is_given(self, install):
        """Whether there is a text: the entry is published, and a pinned version is not recalled."""
        return self.is_published and not self.given(install).recall

    def shown_to(self, install):
        """The fields of an agent's lists and manifest about its text."""
        given, latest = self.given(install), self.present
        return {
            "title": given.title,
            "version": given.label,
            "digest": given.digest,
            "installedDigest": install and install.digest,
            "number": given.number if self.is_published else None,
            "pinned": bool(install and install.pinned),
            "latest": (
                self.is_published
                and {"number": latest.number, "version": latest.label, "digest": latest.digest}
            )
            or None,
        }
