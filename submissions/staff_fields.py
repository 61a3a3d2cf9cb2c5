"""The fields that staff have set beside the file of an entry: an author's file keeps them."""

from catalogue.frontmatter import Frontmatter, Refused, read_frontmatter
from catalogue.models import Kind
from importing.exports import differing_fields

KEYS = {"price_cents": "priceCents"}  # in a file, if they are not the names of the fields


class KeptFields(Frontmatter):
    """The fields of a file, some of them with the values that the entry has."""

    def __init__(self, fields, kept):
        super().__init__(fields)
        self.kept = kept

    def get(self, name):
        return (self.kept[name] or None) if name in self.kept else super().get(name)


def keep_fields(file, entry):
    """Keep the entry's value of each field that a file leaves as the published file has it.

    An author starts from the published file, which lacks the values that staff set in a form.
    """
    published = published_fields(entry)

    def kept(values):
        same = (name for name in values if file.fields.get(name) == published.get(name))
        return {name: values[name] for name in same}

    file.values |= kept({name: getattr(entry, name) for name in entry.frontmatter_fields()})
    if entry.kind == Kind.PERSONA:
        bundle = [skill.slug for skill in entry.skills.only("slug")]
        values = {"priceCents": str(entry.price_cents), "skills": bundle}
        file.fields = KeptFields(file.fields.fields, kept(values))


def overrules_staff(fields, entry):
    """Whether the fields of an author's file change one that staff have set."""
    published = published_fields(entry)
    keys = (KEYS.get(name, name) for name in differing_fields(entry))
    return any(fields.get(key) != published.get(key) for key in keys)


def published_fields(entry):
    try:
        text = entry.content if entry.kind == Kind.SKILL else entry.frontmatter
        return read_frontmatter(text)[0]
    except Refused:
        return Frontmatter({})
