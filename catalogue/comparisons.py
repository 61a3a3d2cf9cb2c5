"""What changed between two texts of an entry, for templates/_changes.html."""

from itertools import chain

from django.template.defaultfilters import filesizeformat, pluralize

from catalogue.inspection import is_script
from catalogue.models import FileContent
from marketplace.diffs import Comparison, change_of, line_counts

ROOM = 512 * 1024  # bytes of texts other than SKILL.md that a comparison shows


def version_changes(old, new, *, with_text=True):
    """The values that differ between two versions, the lines of the text, and a skill's files."""
    comparison = Comparison()
    names = {"title": "Title", "description": "Description", "version": "Label"}
    changes = [
        change_of(label, getattr(old, name), getattr(new, name), comparison)
        for name, label in names.items()
        if getattr(old, name) != getattr(new, name)
    ]
    if with_text and old.frontmatter != new.frontmatter:
        changes.append(change_of("Frontmatter", old.frontmatter, new.frontmatter, comparison))
    if with_text and old.text_digest != new.text_digest:
        changes.append(change_of(new.TEXT_NAME, old.text, new.text, comparison))
    files, _ = file_changes(old.files, new.files, ROOM, comparison)
    return changes + files


def summary_of(old, new, comparison):
    """What changed between two versions, in a line such as "SKILL.md: 2 lines added; new title".

    The lines of a text are counted unless the `text` of a version is None.
    """
    parts = []
    if new.is_free and old.text_digest != new.text_digest:
        is_read = None not in (old.text, new.text)
        changes = [change_of("", old.text, new.text, comparison)] if is_read else []
        counts = line_counts(changes)
        parts.append(f"{new.TEXT_NAME}: {counts}" if counts else f"another {new.TEXT_NAME}")
    names = [name for name in ("title", "description") if getattr(old, name) != getattr(new, name)]
    if new.is_free and old.frontmatter != new.frontmatter:
        names.append("frontmatter")
    parts += [f"new {name}" for name in names]
    before, after = ({file["path"]: file for file in version.files} for version in (old, new))
    counts = {
        "added": len(after.keys() - before.keys()),
        "changed": sum(before[path] != after[path] for path in before.keys() & after.keys()),
        "removed": len(before.keys() - after.keys()),
    }
    parts += [f"{n:,} file{pluralize(n)} {what}" for what, n in counts.items() if n]
    if new.version and old.version != new.version:
        parts.append(f"labeled {new.version}")
    return "; ".join(parts)


def file_changes(before, after, room, comparison):
    """The files that were added, changed or removed, and how much of `room` is left.

    Each change says `what` happened. The lines of a text are shown while its bytes fit.
    """
    before, after = ({file["path"]: file for file in files} for files in (before, after))
    pairs = {path: (before.get(path), after.get(path)) for path in sorted({*before, *after})}
    pairs = {path: pair for path, pair in pairs.items() if pair[0] != pair[1]}
    readable, room = texts_within(room, pairs)
    contents = FileContent.objects.of(chain.from_iterable(readable.values()))
    changes = []
    for path, (old, new) in pairs.items():
        if new is None:
            changes.append(removed(old))
            continue
        shown = contents if path in readable else {}
        texts = as_text(old, shown), as_text(new, shown)
        # The line about the file is no line of its text.
        change = change_of(path, *texts, comparison, first=0)
        changes.append(change | {"what": "changed" if old else "added"})
    return changes, room


def removed(file):
    """The change of a file that goes. Its lines are not shown."""
    change = change_of(file["path"], "", "")
    return change | {"what": "removed", "is_script": is_script(file)}


def texts_within(room, pairs):
    """The texts whose lines are shown, by path, and how much of `room` is left."""
    readable = {}
    for path, (old, new) in pairs.items():
        texts = [file for file in (old, new) if file and file["is_text"]]
        size = sum(file["size"] for file in texts)
        if new is not None and size <= room:
            room -= size
            readable[path] = texts
    return readable, room


def as_text(file, contents):
    """A line about the file, with its text if the contents include it."""
    if file is None:
        return ""
    executable = "executable, " if file["is_executable"] else ""
    about = f"{executable}{filesizeformat(file['size'])}, {file['digest']}"
    if not file["is_text"]:
        return f"{about}, no text"
    text = contents.get(file["digest"])
    return f"{about}, text not shown" if text is None else f"{about}\n{text.decode()}"
