"""The findings of an inspection, which staff read before they decide."""

import json
import re
from collections import Counter
from itertools import islice
from typing import NamedTuple

from marketplace.hidden_text import visible

# The codes that `--strict` refuses.
STRICT = {"hidden-text", "secret", "unreadable-file", "long-gap"}
# The codes that follow from a stored entry alone. Others need the files of an import
# (`left-out`) or other entries (`look-alike`, `unknown-skill`).
CODES = [
    *("hidden-text", "control-characters", "secret", "unreadable-file", "long-gap", "script"),
    *("format", "size", "license", "description", "dead-link"),
]
MAX_LISTED = 20  # findings of one code in one file
REST = re.compile("and [0-9,]+ more")  # the text of a finding that counts the others
MAX_STORED = 200  # findings of a submission
MAX_QUOTED = 1000  # characters of a value that a finding quotes
MAX_SHOWN = 500  # findings on a page


class Finding(NamedTuple):
    """`line` counts in the file as it was sent, from 1; None if there is none."""

    code: str
    path: str
    line: int | None
    text: str

    def __str__(self):
        return f"{self.code}: {self.place}: {self.text}"

    @property
    def place(self):
        return f"{self.path}" if self.line is None else f"{self.path}, line {self.line}"


def limited(code, path, places):
    """The first findings of a code in a file, and how many more there are."""
    places = iter(places)
    findings = [Finding(code, path, *place) for place in islice(places, MAX_LISTED)]
    if findings and (more := sum(1 for _ in places)):
        findings.append(Finding(code, path, None, f"and {more:,} more"))
    return findings


def quoted(value):
    """A value as JSON. If it is long, its start, which never counts as known."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_QUOTED else f'{text[:MAX_QUOTED]}…"'


def renamed(findings, before, after):
    """The findings with the name of the published file, by which they are compared."""
    return [
        finding._replace(path=after) if finding.path == before else finding for finding in findings
    ]


def stored(path, findings):
    """The first of many findings, and how many more of each code there are."""
    if len(findings) <= MAX_STORED:
        return findings
    first = strict_first(findings)
    more = Counter(finding.code for finding in first[MAX_STORED:])
    counts = (Finding(code, path, None, f"and {more[code]:,} more") for code in more)
    return [*first[:MAX_STORED], *counts]


def shown(findings):
    """The first of many findings, as a page shows them."""
    return [
        finding._replace(path=visible(finding.path), text=visible(finding.text))
        for finding in strict_first(findings)[:MAX_SHOWN]
    ]


def strict_first(findings):
    """Those that `--strict` refuses come first."""
    return sorted(findings, key=lambda finding: finding.code not in STRICT)
