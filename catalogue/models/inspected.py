"""The findings of an entry, stored with it for the lists of staff (contract 28.11)."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import Q

from catalogue.findings import CODES, STRICT
from catalogue.inspection import Facts, inspect, inspect_texts
from catalogue.models.look_alikes import look_alike_finding, look_alikes

# The condition of the index of findings.
HAS_STRICT_FINDINGS = Q(findings__overlap=sorted(STRICT))
MESSAGES = ["deprecation_message", "withdrawal_reason"]


class FindingsField(ArrayField):
    """The codes of an entry's findings, but for those that depend on other entries."""

    def __init__(self, base_field=None, **options):
        defaults = {"null": True, "blank": True, "editable": False}
        super().__init__(base_field or models.CharField(max_length=32), **defaults | options)

    def deconstruct(self):
        name, _, args, options = super().deconstruct()
        return name, "django.contrib.postgres.fields.ArrayField", args, options

    def pre_save(self, entry, add):
        # The files of an import may not be stored yet.
        of_file = entry.inspect_file() if entry.file_findings is None else entry.file_findings
        entry.findings = stored_codes([*of_file, *entry.inspect_fields()])
        entry.file_findings = None
        return entry.findings


def stored_codes(findings):
    return sorted({finding.code for finding in findings}.intersection(CODES))


class Inspected(models.Model):
    """An entry whose stored columns follow from others: `DERIVED` has the sources of each.

    So each save that writes a source writes these, too, whoever saves it.
    """

    # NULL in rows of a release that stored none, until `inspect_catalogue` has run.
    findings = FindingsField()
    # The findings of the file and its folder, if an import has inspected them for the next save.
    file_findings = None
    DERIVED = {}

    class Meta:
        abstract = True

    @transaction.atomic
    def save(self, *, update_fields=None, **options):
        names = set(update_fields or ())
        derived = {name for name, sources in self.DERIVED.items() if sources & names}
        if derived:
            # They depend on fields that others may have saved.
            rows = type(self).objects.select_for_update(no_key=True)
            sources = set().union(*(self.DERIVED[name] for name in derived))
            self.refresh_from_db(fields=sources - names, from_queryset=rows)
            update_fields = names | derived
        super().save(update_fields=update_fields, **options)

    def store_findings(self, findings):
        """Store these, unless somebody has saved the entry since it was read.

        Returns whether they are others than before.
        """
        codes = stored_codes(findings)
        same = type(self).objects.filter(pk=self.pk, updated_at=self.updated_at)
        return codes != self.findings and same.update(findings=codes) == 1

    def inspect(self):
        """All findings of the entry as it is now, saved or not."""
        return [*self.inspect_file(), *self.inspect_fields()]

    def look_alikes(self):
        """The finding that its slug looks like another one, as a list. One query."""
        others = look_alikes(type(self), [self.slug], besides=self.pk)
        return [look_alike_finding(self.file_name, *pair) for pair in others.items()]

    def inspect_file(self, paths=None):
        """The findings of its file, of the folder if there is one, and of what they say.

        `paths` are those of the files to read: all, unless they are given.
        """
        facts = self.facts(self.repairs)
        return inspect(self.file_name, self.written_text, facts, **self.folder(paths))

    def inspect_fields(self):
        """The findings of what is not in the file, or not in these words."""
        # Before a first save, the messages are the database's default, which is empty.
        messages = [name for name in MESSAGES if not self._state.adding]
        values = {name: getattr(self, name) for name in [*self.frontmatter_fields(), *messages]}
        texts = {
            name: "\n".join(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        return inspect_texts(
            {name: text for name, text in texts.items() if text not in self.written_text}
        )

    def facts(self, repairs):
        return Facts(
            license=self.license,
            description=self.description,
            licenses=settings.LICENSES,
            repairs=tuple(repairs),
        )

    def folder(self, paths):
        """What `inspect` needs to know about the files beside its file."""
        return {}
