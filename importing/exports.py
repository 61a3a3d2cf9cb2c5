"""Writing entries as files that an import can read."""

import zipfile

from catalogue.archives import member, write_member
from catalogue.edits import with_changes
from catalogue.frontmatter import (
    Frontmatter,
    Refused,
    as_key,
    one_line,
    read_frontmatter,
    with_frontmatter,
)
from catalogue.models import LABELS, FileContent, Skill, in_nfc, label_key
from catalogue.slugs import slug_of, title_of
from catalogue.yaml_fields import as_yaml

BATCH = 200  # entries per query


def with_fields(entry):
    """The field of an entry that holds its frontmatter, with its differing fields."""
    is_skill = isinstance(entry, Skill)
    return content_with_fields(entry) if is_skill else frontmatter_with_fields(entry)


def as_file(entry):
    """The text of the entry's file.

    A skill's content is its whole file; the frontmatter and the content of a persona are. If staff
    changed fields only in the form, the file lacks these changes, and they are written into it.
    """
    if isinstance(entry, Skill):
        return content_with_fields(entry) if differing_fields(entry) else entry.content
    if entry.frontmatter:
        return frontmatter_with_fields(entry) + entry.content
    fields = {"name": entry.slug}
    fields |= {name: getattr(entry, name) for name in entry.frontmatter_fields()}
    fields |= {
        "skills": sorted(skill.slug for skill in entry.skills.all()),
        "priceCents": entry.price_cents or "",
    }
    return with_frontmatter(as_yaml(without_empty(fields)), entry.content)


def differing_fields(entry):
    """The names of the fields that importing the entry's file would change."""
    is_skill = isinstance(entry, Skill)
    try:
        fields, _ = read_frontmatter(entry.content if is_skill else entry.frontmatter)
    except Refused:
        filled = [name for name in entry.frontmatter_fields() if getattr(entry, name)]
        return ["slug", *filled] if is_skill else []
    name = fields.line("name")
    keeps_name = not name or entry.slug == slug_of(name)
    values = {"slug": entry.slug if keeps_name else name, **entry.frontmatter_values(fields)}
    # Otherwise the exported name is the slug, which the title may not come from.
    values["title"] = values["title"] or title_of(name if keeps_name else "", entry.slug)
    # A text in frontmatter has one line, whatever staff typed into the form.
    have = {name: getattr(entry, name) for name in values}
    have |= {name: one_line(text) for name, text in have.items() if isinstance(text, str)}
    differing = [
        name
        for name, value in values.items()
        if comparable(name, value) != comparable(name, have[name])
    ]
    return differing if is_skill else [*differing, *differing_fields_of_persona(entry, fields)]


def comparable(name, value):
    """The value of a field, without what the catalogue may spell in its own way."""
    if isinstance(value, list):
        return list(dict.fromkeys(map(label_key, value)))
    return label_key(value) if name in LABELS else in_nfc(value)


def differing_fields_of_persona(persona, fields):
    """Those of them that only personas have. A file may name skills that do not exist."""
    if (fields.get("priceCents") or "0") != str(persona.price_cents):
        yield "price_cents"
    named, bundled = set(fields.words("skills")), {skill.slug for skill in persona.skills.all()}
    others = named - bundled
    if bundled - named or (others and Skill.objects.filter(slug__in=others).exists()):
        yield "skills"


def frontmatter_with_fields(persona):
    """The persona's frontmatter with its differing fields. All other lines stay."""
    fields, _ = read_frontmatter(persona.frontmatter)
    values = values_in_file(persona, differing_fields(persona))
    return with_changes(persona.frontmatter, changes_of(fields, values, is_skill=False))


def values_in_file(persona, names):
    """The values of these fields by their keys in a file."""
    values = {name: getattr(persona, name) for name in names}
    values = {
        key: one_line(text) if isinstance(text, str) else text for key, text in values.items()
    }
    if "slug" in values:
        values = {"name": values.pop("slug")} | values
    if "price_cents" in values:
        values["priceCents"] = values.pop("price_cents") or ""
    if "skills" in values:
        values["skills"] = sorted(skill.slug for skill in persona.skills.all())
    return values


def content_with_fields(skill):
    """The skill's content, with its differing fields in the frontmatter.

    A field stays at its place in the frontmatter. A new one goes below `metadata`, unless it
    belongs to the format itself.
    """
    names = differing_fields(skill)
    values = {name: getattr(skill, name) for name in names}
    values = {name: one_line(v) if isinstance(v, str) else v for name, v in values.items()}
    try:
        fields, _ = read_frontmatter(skill.content)
    except Refused:
        return with_changes(f"---\n---\n\n{skill.content}", changes_of(Frontmatter({}), values))
    return with_changes(skill.content, changes_of(fields, values))


def changes_of(fields, values, *, is_skill=True):
    """The changes of a file's fields for `with_changes`. New ones of a skill go into `metadata`."""
    top, metadata = (
        {as_key(key): key for key in keys} for keys in (fields.fields, fields.metadata)
    )
    block, changes = top.get("metadata", "metadata"), {}
    for name, value in values.items():
        key = as_key("name" if name == "slug" else name)
        is_top = key in Frontmatter.TOP_LEVEL or not is_skill or key in top
        if is_top and (key in Frontmatter.TOP_LEVEL or key not in metadata):
            changes[top.get(key, "name" if name == "slug" else name)] = value or None
            continue
        if key in top:
            # If it appears twice, the one below `metadata` is read, unless it is empty.
            changes[top[key]] = None
        changes[block, metadata.get(key, name)] = as_text(value) or None
    return changes


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
