"""What became of a skill's files, for templates/admin/changes.html."""

from django.template.defaultfilters import filesizeformat

from catalogue.models import FileContent
from marketplace.adminsite.diffs import shown_change


def file_changes(before, after):
    """Each file that was added, changed or removed; of a changed text, the lines."""
    before, after = ({file["path"]: file for file in files} for files in (before, after))
    changed = {
        path: (before.get(path), after.get(path))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    }
    compared = [file for pair in changed.values() if all(pair) for file in pair if file["is_text"]]
    texts = FileContent.objects.of(compared)
    return [change_of(path, old, new, texts) for path, (old, new) in changed.items()]


def change_of(path, old, new, texts):
    if old and new:
        change = shown_change(path, described(old, texts), described(new, texts))
    else:
        change = {"diff": [("add" if new else "del", described(new or old, texts))]}
    return {**change, "name": path}


def described(file, texts):
    """What a file is, and of a text that is compared its lines."""
    executable = "executable, " if file["is_executable"] else ""
    summary = f"{executable}{filesizeformat(file['size'])}, {file['digest']}"
    if file["digest"] not in texts:
        return summary
    return f"{summary}\n{texts[file['digest']].decode()}"
