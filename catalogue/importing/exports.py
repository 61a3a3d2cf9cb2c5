"""Writing entries as files that the import reads again."""

import zipfile

import yaml

from catalogue.archives import member
from catalogue.frontmatter import (
    Refused,
    as_slug,
    as_title,
    read_frontmatter,
    with_frontmatter,
)
from catalogue.importing.base import LISTS, TEXTS
from catalogue.models import FileContent, Skill

BATCH = 200  # entries of one query


def as_file(entry):
    """The text of the entry's file.

    A skill's content is its whole file. Where staff have changed fields in the form alone, they
    are not in it: then the frontmatter is written anew.
    """
    if isinstance(entry, Skill):
        try:
            fields, body = read_frontmatter(entry.content)
        except Refused:
            fields, body = None, entry.content
        if fields is not None and matches(fields, entry):
            return entry.content
        return with_frontmatter(as_yaml(frontmatter_of(entry, fields)), body)
    fields = frontmatter_of(entry, None) | {
        "skills": sorted(skill.slug for skill in entry.skills.all()),
        "priceCents": entry.price_cents or "",
    }
    return with_frontmatter(as_yaml(fields), entry.content)


def matches(fields, entry):
    """Whether importing the frontmatter would give the entry the fields that it has."""
    title = fields.line("title") or as_title(entry.slug)
    return (
        (as_slug(fields.line("name")) or entry.slug) == entry.slug
        and title == entry.title
        and all(fields.line(name) == getattr(entry, name) for name in TEXTS if name != "title")
        and all(fields.words(name) == getattr(entry, name) for name in LISTS)
    )


def frontmatter_of(entry, fields):
    """The entry's fields, and whatever else its frontmatter holds."""
    other = {} if fields is None else dict(fields.fields)
    for name in ["name", *TEXTS, *LISTS]:
        other.pop(name, None)
    if isinstance(other.get("metadata"), dict):
        other["metadata"] = {
            name: value for name, value in other["metadata"].items() if name not in {*TEXTS, *LISTS}
        }
    known = {name: getattr(entry, name) for name in [*TEXTS, *LISTS]}
    return {"name": entry.slug} | known | other


def as_yaml(fields):
    filled = {name: value for name, value in fields.items() if value not in ("", [], {})}
    return yaml.safe_dump(filled, allow_unicode=True, sort_keys=False, width=10**6)


def export(entries, file):
    """Write a zip with each entry: a skill's folder, or a persona's Markdown file."""
    is_skill = entries.model is Skill
    entries = entries.order_by("pk")
    if not is_skill:
        entries = entries.prefetch_related("skills")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        last = 0
        while batch := list(entries.filter(pk__gt=last)[:BATCH]):
            for entry in batch:
                name = f"{entry.slug}/SKILL.md" if is_skill else f"{entry.slug}.md"
                archive.writestr(name, as_file(entry))
                if is_skill:
                    export_files(entry, archive)
            last = batch[-1].pk


def export_files(skill, archive):
    for file, data in FileContent.objects.read(skill.files):
        info = member(f"{skill.slug}/{file['path']}", is_executable=file["is_executable"])
        archive.writestr(info, data, zipfile.ZIP_DEFLATED)
