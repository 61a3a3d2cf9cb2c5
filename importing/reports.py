"""The messages of an import about its files."""

import os
from collections.abc import Callable
from dataclasses import dataclass

MAX_REASONS = 5  # of one kind that a refusal names


@dataclass
class ImportReport:
    """The counts of an import. `write` gets each note, finding and refusal, as it comes."""

    write: Callable
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0

    def note(self, path, text):
        self.write(f"note: {printable(path)}: {text}")

    def find(self, folder, findings):
        """Write a line for each Finding, whose path is below the folder."""
        for finding in findings:
            self.write(printable(str(finding._replace(path=folder / finding.path))))

    def refuse(self, path, reason):
        self.refused += 1
        self.write(f"refused: {printable(path)}: {reason}")


def all_of(reasons):
    """The first reasons, and how many more there are, in one sentence."""
    more = len(reasons) - MAX_REASONS
    rest = [f"and {more:,} more"] if more > 0 else []
    return "; ".join([*reasons[:MAX_REASONS], *rest])


def printable(path):
    """A path, or a text with one, on one line, even if its bytes are not UTF-8."""
    text = os.fsencode(path).decode(errors="replace")
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def reason_of(error):
    """Why a file is refused, without the temporary path that an OSError names."""
    return getattr(error, "strerror", None) or str(error)
