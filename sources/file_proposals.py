"""The proposals of a source: a new text, or to withdraw an entry (contract 30)."""

from importing.base import NO_SLUG
from submissions.exceptions import UnusableText
from submissions.proposals import Proposal


class FileProposal(Proposal):
    """A file of the ref, and the source's own entry that it changes; None for a new one.

    As with a proposal of staff, the rules of an import are enough. Raises UnusableText.
    """

    by_staff = keeps_fields = True

    def __init__(self, importer, root, path, entry):
        self.read(importer, root, path)
        self.is_back = entry is not None and not entry.is_published
        self.slug = entry.slug if entry else importer.slug_of_new(self.file)
        if not self.slug:
            raise UnusableText(NO_SLUG)

    def refuse_unchanged(self):
        if not self.is_back:
            super().refuse_unchanged()


class Withdrawal:
    """The proposal to withdraw an entry whose file is gone."""

    files, size = (), 0

    def __init__(self, entry):
        self.kind, self.slug = entry.kind, entry.slug
        self.values = {
            "withdraws": True,
            "content": "",
            "size": 0,
            "digest": "",
            "bytes_digest": entry.digest,
            "base_number": entry.number,
            "base_digest": entry.digest,
        }
