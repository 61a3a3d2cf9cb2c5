"""The outcome of importing one file, or of its preview, and the messages about it."""

from dataclasses import dataclass, field

from catalogue.findings import shown
from catalogue.models import content_digest
from importing.reports import ImportReport

MAX_NOTES = 10  # about one file


@dataclass
class Outcome:
    """The result of importing one file, or of its preview."""

    path: str
    result: str = ""  # created, updated, unchanged, refused
    entry: object = None
    reason: str = ""
    changes: list = field(default_factory=list)
    findings: list = field(default_factory=list)
    # Boxes that staff may tick: import a refused file, or publish what an import leaves a draft.
    is_doubtful: bool = False
    may_publish: bool = False
    lacks_description: bool = False
    # How the entry was before the import.
    is_published: bool = False
    updated_at: object = None
    makes_version: bool = False
    is_left: bool = False  # published as it was, because nobody has ticked it

    @property
    def codes(self):
        return sorted({finding.code for finding in self.findings})

    @property
    def findings_digest(self):
        """Identifies the findings, to tell whether they have changed since a page showed them."""
        return content_digest("\n".join(map(str, self.findings)).encode())

    @property
    def shown_findings(self):
        return shown(self.findings)


class FileReport(ImportReport):
    """The messages about one file, without its path."""

    def __init__(self):
        self.reasons, self.notes, self.findings, self.is_doubtful = [], [], [], False
        super().__init__(write=self.notes.append)

    def note(self, path, text):
        self.write(text)

    def find(self, folder, findings):
        self.findings += findings

    def refuse(self, path, reason):
        self.refused += 1
        self.reasons.append(str(reason))

    @property
    def text(self):
        """Why the file is refused, and the first of its notes."""
        more = len(self.notes) - MAX_NOTES
        rest = [f"{more:,} more notes"] if more > 0 else []
        return "; ".join([*self.reasons, *self.notes[:MAX_NOTES], *rest])

    @property
    def result(self):
        results = ("refused", "created", "updated")
        return next((result for result in results if getattr(self, result)), "unchanged")
