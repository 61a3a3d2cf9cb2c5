"""What became of a skill's files, for templates/admin/changes.html."""

from django.template.defaultfilters import filesizeformat

from catalogue.models import FileContent
from marketplace.adminsite.diffs import shown_change


def file_changes(before, after, room):
    """Each file that was added, changed or removed, and how much of `room` is left.

    The lines of a text are shown while there is room for its bytes.
    """
    before, after = ({file["path"]: file for file in files} for files in (before, after))
    changes = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        texts = [file for file in (old, new) if file and file["is_text"]]
        size = sum(file["size"] for file in texts)
        is_shown = new is not None and size <= room
        room -= size if is_shown else 0
        contents = FileContent.objects.of(texts) if is_shown else {}
        changes.append(change_of(path, old, new, contents))
    return changes, room


def change_of(path, old, new, contents):
    if new is None:
        change = {"diff": [("del", described(old))]}
    else:
        old, new = (with_lines(file, contents) if file else "" for file in (old, new))
        change = shown_change(path, old, new)
    return {**change, "name": path}


def with_lines(file, contents):
    data = contents.get(file["digest"])
    return described(file) if data is None else f"{described(file)}\n{data.decode()}"


def described(file):
    executable = "executable, " if file["is_executable"] else ""
    return f"{executable}{filesizeformat(file['size'])}, {file['digest']}"
