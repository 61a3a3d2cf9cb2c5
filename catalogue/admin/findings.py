"""Staff read what an inspection finds before agents read the text (contract 28.12)."""

from collections import Counter
from copy import copy

from django.core.exceptions import ValidationError

from catalogue.findings import STRICT, shown
from catalogue.inspection import inspect_texts
from catalogue.models import content_digest
from marketplace.adminsite.actions import ActionForm

READ_FIRST = "Read the findings. Then correct the text, or tick the box."


class AsksMixin:
    """For a form whose page shows `findings`.

    It asks for a tick if `--strict` would refuse one of them. The tick is for exactly these: if
    there are others when it arrives, the form asks again.
    """

    findings = ()

    def ask(self):
        if self.is_bound and self.answer and not self.is_accepted:
            self.add_error(None, READ_FIRST)

    @property
    def answer(self):
        """The value that the box posts, if there is a box."""
        strict = "\n".join(str(finding) for finding in self.findings if finding.code in STRICT)
        return content_digest(strict.encode()) if strict else ""

    @property
    def is_accepted(self):
        return bool(self.answer) and self.data.get("accepted") == self.answer

    @property
    def accepted(self):
        return f"Accepted findings: {', '.join(self.strict_codes)}." if self.is_accepted else ""

    @property
    def strict_codes(self):
        return sorted({finding.code for finding in self.findings}.intersection(STRICT))

    @property
    def shown_findings(self):
        return shown(self.findings)


class FindingsForm(AsksMixin, ActionForm):
    """Shows what is in entries that agents are about to get. A subclass may change them first."""

    def __init__(self, data, rows, **options):
        super().__init__(data, rows, **options)
        rows = list(rows)
        self.findings = [
            finding if len(rows) == 1 else finding._replace(path=f"{row}: {finding.path}")
            for row in rows
            if not is_refused(row)
            for finding in self.findings_of(row)
        ]

    def findings_of(self, row):
        return row.inspect()

    def clean(self):
        super().clean()
        self.ask()


def is_refused(entry):
    """Whether the action itself says that agents never get these characters."""
    try:
        entry.check_characters(keeps_stored=False)
    except ValidationError:
        return True
    return False


class TextsForm(AsksMixin, ActionForm):
    """Asks about the texts that a person enters into its fields."""

    def full_clean(self):
        super().full_clean()
        if self.is_bound and not self.errors:
            self.findings = inspect_texts(texts_of(self.cleaned_data))
            self.ask()


def texts_of(values):
    """`{name: text}` of the texts and lists of texts among these values."""
    texts = {
        name: "\n".join(value) if isinstance(value, list) else value
        for name, value in values.items()
    }
    return {name: text for name, text in texts.items() if isinstance(text, str)}


class EditedFindingsMixin(AsksMixin):
    """For the form of an entry: asks about what its edits bring, if agents get them at once."""

    def full_clean(self):
        super().full_clean()
        if self.is_bound and not self.errors:
            self.findings = self.edited_findings()
            if self.instance.is_published or "_publish" in self.data:
                self.ask()

    def edited_findings(self):
        """Those that the stored entry does not have; if it gets published, all of them."""
        entry = self.instance
        findings = [*entry.inspect(**self.bundle()), *entry.look_alikes()]
        if entry.pk is None or "_publish" in self.data:
            return findings
        stored = type(entry).objects.get(pk=entry.pk)
        return new_findings(findings, [*stored.inspect(), *stored.look_alikes()])

    def bundle(self):
        names = {"skills"} & self.cleaned_data.keys()
        return {name: self.cleaned_data[name] for name in names}


def with_values(entry, values):
    """A copy of the entry with other values, `{field: value}`, which nobody saves."""
    changed = copy(entry)
    for name, value in values.items():
        setattr(changed, name, value)
    return changed


def new_findings(after, before):
    """Those of which there are more than before, on whatever line."""
    more = Counter(finding._replace(line=None) for finding in after)
    more -= Counter(finding._replace(line=None) for finding in before)
    return [finding for finding in after if finding._replace(line=None) in more]
