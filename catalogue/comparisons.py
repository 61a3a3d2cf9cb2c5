"""What changed between two texts of an entry, for templates/_changes.html."""

from django.template.defaultfilters import filesizeformat

from catalogue.models import FileContent
from marketplace.diffs import Comparison, change_of

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
    if with_text and old.text_digest != new.text_digest:
        changes.append(change_of(new.TEXT_NAME, old.text, new.text, comparison))
    files, _ = file_changes(old.files, new.files, ROOM, comparison)
    return changes + files


def file_changes(before, after, room, comparison):
    """The files that were added, changed or removed, and how much of `room` is left.

    The lines of a text are shown while its bytes fit.
    """
    before, after = ({file["path"]: file for file in files} for files in (before, after))
    changes = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        texts = [file for file in (old, new) if file and file["is_text"]]
        size = sum(file["size"] for file in texts)
        is_readable = new is not None and size <= room
        room -= size if is_readable else 0
        contents = FileContent.objects.of(texts) if is_readable else {}
        texts = as_text(old, contents), as_text(new, contents)
        changes.append(change_of(path, *texts, comparison))
    return changes, room


def as_text(file, contents):
    """A line about the file, with its text if the contents include it."""
    if file is None:
        return ""
    executable = "executable, " if file["is_executable"] else ""
    text = contents.get(file["digest"], b"").decode()
    return f"{executable}{filesizeformat(file['size'])}, {file['digest']}\n{text}"
