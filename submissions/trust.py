"""The rules for submissions that need no decision of staff (contract 29.13)."""

from catalogue.findings import REST, Finding
from catalogue.frontmatter import read_frontmatter
from catalogue.frontmatter_findings import rights_of
from submissions.models import Maintainer, SubmittedVersion
from submissions.staff_fields import overrules_staff

# Findings that never stop a trusted maintainer. Others must be in the published text, too.
HARMLESS = {"size", "license", "format"}


def may_publish_at_once(submission, entry):
    """Whether staff trust its agent with exactly this change of the entry, which is locked."""
    return (
        entry.is_published
        and entry.number == submission.base_number  # it may have moved since the submission came
        and is_trusted(submission, entry)
        and is_of_maintainer(entry)
        and not overrules_staff(read_frontmatter(submission.content)[0], entry)
        and rights_of(submission.content) == rights_of(entry.written_text)
        and has_known_findings([Finding(**found) for found in submission.findings], entry)
    )


def is_trusted(submission, entry):
    """Locks the maintainer: if somebody ends the trust now, one of the two waits."""
    rows = Maintainer.objects.of(entry).present().select_for_update(no_key=True)
    return rows.filter(agent=submission.agent, trusted_at__isnull=False).first() is not None


def is_of_maintainer(entry):
    """Whether a maintainer submitted the published text, and staff have not changed it since."""
    versions = {f"{entry.kind}_version__{entry.kind}": entry}
    newest = SubmittedVersion.objects.filter(
        **versions, **{f"{entry.kind}_version__number": entry.number}
    )
    submitted = newest.select_related("submission__agent__claim").first()
    agent = submitted and submitted.agent
    return bool(agent) and Maintainer.objects.of(entry).including(agent).exists()


def has_known_findings(findings, entry):
    """Whether the published text of the entry, or None, has all of those that count."""
    new = {(found.code, found.path, found.text) for found in findings if found.code not in HARMLESS}
    if not new or entry is None:
        return not new
    # The entry is locked meanwhile, so only the files with such findings are read.
    paths = {path.partition("!")[0] for _, path, _ in new}
    listed = (found for found in entry.inspect_file(paths) if tells_all(found))
    return new <= {(found.code, found.path, found.text) for found in listed}


def tells_all(finding):
    """Whether no other text can have the same: others may be behind a count, or a quoted start."""
    return not (REST.fullmatch(finding.text) or finding.text.endswith('…"'))
