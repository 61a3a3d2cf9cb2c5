"""Inspecting a file before an import saves anything of it (contract 28)."""

from catalogue.findings import STRICT
from catalogue.frontmatter import Refused
from catalogue.inspection import inspect, refusals

MAX_REASONS = 5  # that a refusal names


def check_characters(file):
    """Raises Refused for characters that no text may hold, in the file or in its fields."""
    reasons = refusals(file.path.name, file.text)
    if reasons:
        more = len(reasons) - MAX_REASONS
        rest = [f"and {more:,} more"] if more > 0 else []
        raise Refused("; ".join([*reasons[:MAX_REASONS], *rest]))


def findings_of(file, facts):
    """The findings of a file and its folder. Raises OSError."""
    folder = file.folder
    if folder is None:
        return inspect(file.path.name, file.text, facts)
    return inspect(
        file.path.name,
        file.text,
        facts,
        files=folder.files,
        read=lambda path: folder.places[path].read_bytes(),
    )


def check_strictly(findings):
    """Raises Refused for what `--strict` refuses."""
    codes = dict.fromkeys(finding.code for finding in findings if finding.code in STRICT)
    if codes:
        raise Refused(f"--strict refuses {', '.join(codes)}")
