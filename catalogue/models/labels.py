"""Labels: the words by which entries are filtered, such as tags (contract 8.21)."""

import unicodedata

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.fields.array import ArrayContains
from django.contrib.postgres.validators import ArrayMaxLengthValidator
from django.db import connection, models
from django.db.models import Func, Q, Value
from django.db.models.functions import Lower
from django.db.models.lookups import Exact

from catalogue.models.status import IS_PUBLISHED
from catalogue.sql import SPELLING_IN_LISTS, SPELLING_OF_TEXTS
from marketplace.models import MigratedAsDjangos

MAX_LABELS = 50  # in one field of an entry
TEXT_LABELS, LIST_LABELS = ("category", "author", "license"), ("tags", "runtimes")
LABELS = (*TEXT_LABELS, *LIST_LABELS)


def in_nfc(text):
    return unicodedata.normalize("NFC", text)


def label_key(label):
    """The same key for labels that differ only in case."""
    return in_nfc(label).lower()


def once(labels):
    """The labels without those that differ only in case from an earlier one."""
    kept = {}
    for label in labels:
        kept.setdefault(label_key(label), label)
    return list(kept.values())


class NfcCharField(MigratedAsDjangos, models.CharField):
    """A text that is stored in NFC, however it was typed."""

    def to_python(self, value):
        value = super().to_python(value)
        return value if value is None else in_nfc(value)


class LabelsField(ArrayField):
    """Labels in NFC, each in one case."""

    def __init__(self, base_field=None, **options):
        defaults = {
            "default": list,
            "blank": True,
            "validators": [ArrayMaxLengthValidator(MAX_LABELS)],
        }
        super().__init__(base_field or NfcCharField(max_length=64), **{**defaults, **options})

    def deconstruct(self):
        name, _, args, options = super().deconstruct()
        return name, "django.contrib.postgres.fields.ArrayField", args, options

    def to_python(self, value):
        value = super().to_python(value)
        is_list = isinstance(value, list) and all(isinstance(label, str) for label in value)
        return once(map(self.base_field.to_python, value)) if is_list else value

    def get_db_prep_value(self, value, *arguments, **options):
        return super().get_db_prep_value(self.to_python(value), *arguments, **options)


def keys_of(labels):
    """The labels of a field or of a value without case; an index has those of each entry."""
    output_field = ArrayField(models.TextField())
    return Func(labels, function="catalogue_keys", output_field=output_field)


def spelled(name, value):
    """The condition for entries with this text in the field `name`, in any case."""
    return Q(Exact(Lower(name), Lower(as_expression(value))))


def labeled(name, labels):
    """The condition for entries with these labels in the field `name`, in any case."""
    return Q(ArrayContains(keys_of(name), keys_of(as_expression(labels))))


def as_expression(value):
    if isinstance(value, list):
        return Value([in_nfc(label) for label in value], ArrayField(models.CharField()))
    return Value(in_nfc(value)) if isinstance(value, str) else value


class Spellings:
    """How published entries of a model spell labels: the first spelling stays (contract 8.21).

    `besides` is an entry whose own spelling does not count.
    """

    def __init__(self, model, besides=None):
        self.table = model._meta.db_table
        self.besides = 0 if besides is None else besides
        self.known = {}  # by field and key
        parts = {"table": self.table, "published": IS_PUBLISHED}
        self.sql = " UNION ALL ".join(
            [
                *(SPELLING_OF_TEXTS.format(field=name, **parts) for name in TEXT_LABELS),
                *(SPELLING_IN_LISTS.format(field=name, **parts) for name in LIST_LABELS),
            ]
        )

    def learn(self, entries):
        """Look up the labels of many entries, `{field: value}` each, in one statement."""
        new = {name: {} for name in LABELS}
        for values in entries:
            for name in new.keys() & values.keys():
                for label in labels_in(values[name]):
                    key = name, label_key(label)
                    if key not in self.known:
                        new[name].setdefault(key, in_nfc(label))
        if any(new.values()):
            labels = {name: [*labels.values()] for name, labels in new.items()}
            with connection.cursor() as cursor:
                cursor.execute(self.sql, {**labels, "besides": self.besides})
                known = {(name, label_key(label)): label for name, label in cursor.fetchall()}
            for given in (*new.values(), known):
                self.known |= given

    def of(self, values):
        """`{field: value}` of an entry, each label as it is known, or as it was first given."""
        self.learn([values])
        known = self.known
        return {
            name: known.get((name, label_key(value)), value)
            if name in TEXT_LABELS
            else [known[name, label_key(label)] for label in once(value)]
            if name in LIST_LABELS
            else value
            for name, value in values.items()
        }


def labels_in(value):
    return value if isinstance(value, list) else filter(None, [value])
