"""Writing entries as files that an import can read."""

import zipfile

from catalogue.archives import member, write_member
from catalogue.frontmatter import (
    Frontmatter,
    Refused,
    one_line,
    read_frontmatter,
    with_frontmatter,
)
from catalogue.models import LABELS, FileContent, Skill, as_key, in_nfc
from catalogue.slugs import slug_of, title_of
from catalogue.yaml_fields import as_yaml

BATCH = 200  # entries per query


def as_file(entry):
    """The text of the entry's file.

    A skill's content is its whole file. If staff changed fields only in the form, the content
    lacks these changes, and they are written into it.
    """
    if isinstance(entry, Skill):
        return content_with_fields(entry) if differing_fields(entry) else entry.content
    fields = {"name": entry.slug}
    fields |= {name: getattr(entry, name) for name in entry.frontmatter_fields()}
    fields |= {
        "skills": sorted(skill.slug for skill in entry.skills.all()),
        "priceCents": entry.price_cents or "",
    }
    return with_frontmatter(as_yaml(without_empty(fields)), entry.content)


def differing_fields(skill):
    """The names of the fields that importing the skill's content would change."""
    try:
        fields, _ = read_frontmatter(skill.content)
    except Refused:
        return ["slug", *(name for name in Skill.frontmatter_fields() if getattr(skill, name))]
    name = fields.line("name")
    keeps_name = not name or skill.slug == slug_of(name)
    values = {"slug": skill.slug if keeps_name else name, **Skill.frontmatter_values(fields)}
    # Otherwise the exported name is the slug, which the title may not come from.
    values["title"] = values["title"] or title_of(name if keeps_name else "", skill.slug)
    # A text in frontmatter has one line, whatever staff typed into the form.
    have = {name: getattr(skill, name) for name in values}
    have |= {name: one_line(text) for name, text in have.items() if isinstance(text, str)}
    return [
        name
        for name, value in values.items()
        if comparable(name, value) != comparable(name, have[name])
    ]


def comparable(name, value):
    """The value of a field, without what the catalogue may spell in its own way."""
    if isinstance(value, list):
        return list(dict.fromkeys(map(as_key, value)))
    return as_key(value) if name in LABELS else in_nfc(value)


def content_with_fields(skill):
    """The skill's content, with its differing fields in the frontmatter.

    A field stays at its place in the frontmatter. A new one goes below `metadata`, unless it
    belongs to the format itself.
    """
    try:
        fields, body = read_frontmatter(skill.content)
    except Refused:
        fields, body = Frontmatter({}), skill.content
    top, metadata = dict(fields.fields), dict(fields.metadata)
    for name in differing_fields(skill):
        value = getattr(skill, name)
        value = one_line(value) if isinstance(value, str) else value
        if name == "slug":
            top = {"name": value} | top | {"name": value}
        elif name in Frontmatter.TOP_LEVEL or (name in top and name not in metadata):
            top[name] = value
        else:
            # If it appears twice, the one below `metadata` is read, unless it is empty.
            top.pop(name, None)
            metadata[name] = as_text(value)
    top.pop("metadata", None)
    return with_frontmatter(
        as_yaml(without_empty(top | {"metadata": without_empty(metadata)})), body
    )


def as_text(value):
    """A comma-separated list if that reads the same: the format's metadata are texts."""
    text = ", ".join(value) if isinstance(value, list) else value
    return text if Frontmatter({"list": text}).words("list") == value else value


def without_empty(fields):
    return {name: value for name, value in fields.items() if value not in ("", [], {})}


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
    for file, pieces in FileContent.objects.read(skill.files):
        info = member(f"{skill.slug}/{file['path']}", is_executable=file["is_executable"])
        info.compress_type = zipfile.ZIP_DEFLATED
        write_member(archive, info, pieces)
