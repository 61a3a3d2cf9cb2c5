"""The model of versions: reading them, and what staff do with one."""

import re

from tests.system.matchers import Opaque, Timestamp
from tests.system.model_agents import Reply, error
from tests.system.model_catalogue import edits
from tests.system.model_installs import NO_VERSION, NOT_FOUND
from tests.system.model_versions import Recall, digest_of


class VersionRules:
    def list_skill_versions(self, _token, query, slug):
        return self.list_versions("skills", query, slug)

    def list_persona_versions(self, _token, query, slug):
        return self.list_versions("personas", query, slug)

    def list_versions(self, kind, query, slug):
        entry = self.published(kind, slug)
        return error(404, NOT_FOUND[kind]) if entry is None else entry.listed_versions()

    def version(self, kind, slug, number):
        """One version; the number is a text of the path."""
        entry = self.published(kind, slug)
        if entry is None:
            return error(404, NOT_FOUND[kind])
        is_number = re.fullmatch("[1-9][0-9]*", number)
        version = entry.numbered(int(number)) if is_number else None
        return NO_VERSION if version is None else Reply(200, entry.version_detail(version))

    # Actions of staff. Each returns its outcome: "done", or why it is refused.

    def refusal(self, entry, text, content):
        """The reason not to publish the entry with this text of a file, or None.

        Its content alone counts, too: the prompt.
        """
        digests = {digest_of(text), digest_of(content)}
        if any((entry.kind, digest) in self.purges for digest in digests):
            return "purged"
        if any(version.recall for version in entry.with_text(digest_of(text))):
            return "recalled"
        same = entry.with_text(digest_of(content))
        is_recalled = any(version.recall for version in same)
        return "recalled" if is_recalled and not entry.has_readable(digest_of(content)) else None

    def refused_texts(self, entry):
        """Texts that may not come back in the entry."""
        recalled = {version.file_text for version in entry.versions if version.recall}
        purged = {
            text
            for (kind, digest), text in self.purges.items()
            # A SKILL.md of another skill would not be served as it is.
            if kind == entry.kind == "personas" or entry.with_text(digest)
        }
        return sorted((recalled | purged) - {""})

    def write(self, entry, values):
        """Save values of an entry, perhaps including its content."""
        content = values.get("content", entry.content)
        text = (values.get("frontmatter", entry.frontmatter) or "") + content
        is_new = entry.is_published and entry.is_new(digest_of(text))
        if is_new and (refusal := self.refusal(entry, text, content)):
            return refusal
        self.edit(entry, **values)
        return "done"

    def publish(self, entry):
        if refusal := self.refusal(entry, entry.file_text, entry.content):
            return refusal
        self.set_status(entry, "published")
        return "done"

    def restore_version(self, entry, version):
        if version.recall:
            return "purged" if version.is_purged else "recalled"
        if entry.digest == version.digest:
            return "same"
        return self.write(entry, version.values())

    def recall_version(self, entry, version, reason):
        if entry.has_now(version):
            return "current"
        if version.recall:
            return "again"
        self.recall_text(entry, version, reason)
        return "done"

    def recall_text(self, entry, version, reason):
        recall = Recall(reason, Timestamp(self.interval), next(edits))
        for same in entry.with_text(version.digest):
            same.recall = same.recall or recall

    def lift_recall(self, entry, version):
        if (entry.kind, version.digest) in self.purges:
            return "purged"
        if not version.recall:
            return "unrecalled"
        for same in entry.with_text(version.digest):
            same.recall = None
        return "done"

    def purge_version(self, entry, version, reason):
        if entry.has_now(version):
            return "current"
        self.recall_text(entry, version, reason)
        purged = dict(version.purgeable())
        for digest, text in purged.items():
            self.purges.setdefault((entry.kind, digest), text)
        self.purge_submissions(entry.kind, purged)
        has_text = entry.digest == version.digest or entry.has_prompt_of(version)
        for same in entry.with_text(version.digest):
            same.recall = Recall(reason, same.recall.at, same.recall.place)
            same.purge()
        if has_text:
            # The catalogue writes a SKILL.md from the remaining fields.
            entry.written_digest = Opaque("sha256:[0-9a-f]{64}")
            values = {"content": "", "title": entry.slug, "description": "", "version": ""}
            self.edit(entry, **values, **({"frontmatter": ""} if entry.frontmatter else {}))
        return "done"
