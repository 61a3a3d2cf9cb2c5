"""A skill's folder on disk: which files are stored, and why it may be refused (contract 17.2)."""

import os
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from catalogue.frontmatter import Refused
from catalogue.models import FileContent, content_digest
from marketplace.secrets import holds_token

MAX_FILES, MAX_FILE, MAX_FOLDER = 100, 1024 * 1024, 8 * 1024 * 1024  # files, bytes, bytes
MAX_PATH = 200  # bytes
MAX_PARTS = 20  # of a path such as pdf-tables/scripts/run.py, with the skill's own folder
CACHES = re.compile(r"(?i)__pycache__|node_modules|__macosx|thumbs\.db|desktop\.ini|.*\.py[co]")
# Windows forbids some characters, a dot or a space at the end, and the names of devices.
FORBIDDEN = re.compile(
    r"""(?i).*[<>:"/\\|?*].*|.*[. ]"""
    r"|(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?"
)


@dataclass
class ImportFolder:
    """The files of a folder besides its SKILL.md: `files` is like `Skill.files`."""

    root: Path
    files: list = field(default_factory=list)
    left_out: list = field(default_factory=list)  # (path, reason)

    def store(self):
        """Store what is not stored yet. Raises Refused if a file has changed meanwhile."""
        paths = {file["digest"]: file["path"] for file in self.files}
        digests = FileContent.objects.filter(digest__in=paths).values_list("digest", flat=True)
        FileContent.objects.bulk_create(
            FileContent(digest=digest, data=self.read(paths[digest], digest))
            for digest in set(paths) - set(digests)
        )

    def read(self, path, digest):
        data = (self.root / path).read_bytes()
        if content_digest(data) != digest:
            raise Refused(f"{path} was changed while it was imported; import it again")
        return data


def read_folder(skill_md):
    """The folder of a SKILL.md. Raises Refused, or OSError."""
    folder = ImportFolder(skill_md.parent)
    # Keyed by the path as a case-insensitive disk knows it.
    paths = {skill_md.name.casefold(): skill_md.name}
    size = 0
    for path, entry in walk(folder, skill_md):
        check_path(path, paths)
        if entry.is_dir(follow_symlinks=False):
            continue
        if len(folder.files) == MAX_FILES:
            raise Refused(f"more than {MAX_FILES} files: {path} is one too many")
        file = read_file(path, entry)
        size += file["size"]
        if size > MAX_FOLDER:
            raise Refused(f"more than {MAX_FOLDER // 1024**2} MiB: {path} exceeds the limit")
        folder.files.append(file)
    folder.files.sort(key=lambda file: file["path"].encode())
    return folder


def walk(folder, skill_md, below=""):
    """Each file and folder of a skill's folder that is not left out, as (path, entry)."""
    for entry in sorted(os.scandir(folder.root / below), key=lambda entry: entry.name):
        path = below + entry.name
        if path == skill_md.name:
            continue
        if reason := reason_to_leave_out(entry):
            folder.left_out.append((path, reason))
            continue
        yield path, entry
        if entry.is_dir(follow_symlinks=False):
            yield from walk(folder, skill_md, f"{path}/")


def reason_to_leave_out(entry):
    if entry.name.startswith("."):
        return "hidden"
    if CACHES.fullmatch(entry.name):
        return "a cache"
    if entry.is_dir(follow_symlinks=False) and any(
        inner.name.casefold() == "skill.md" and not inner.is_dir()
        for inner in Path(entry).iterdir()
    ):
        return "a skill of its own"
    return ""


def is_too_deep(path):
    """Whether a path, from the skill's folder or from one around it, has too many parts."""
    return path.count("/") >= MAX_PARTS


def check_path(path, paths):
    """Raises Refused for a path that is not allowed, or that equals another one of `paths`."""
    try:
        encoded = path.encode()
    except UnicodeEncodeError as error:
        name = os.fsencode(path).decode(errors="replace")
        raise Refused(f"the name {name!r} is not UTF-8") from error
    if holds_token(path):
        raise Refused("the name of a file holds a token of this marketplace")
    if any(unicodedata.category(character) == "Cc" for character in path):
        raise Refused(f"{path[:50]!r} holds a control character")
    if len(encoded) > MAX_PATH:
        raise Refused(f"{path[:50]}… is longer than {MAX_PATH} bytes")
    if is_too_deep(f"folder/{path}"):
        raise Refused(f"{path[:50]}… has more than {MAX_PARTS - 1} parts")
    if not unicodedata.is_normalized("NFC", path):
        raise Refused(f"{path} is not in Unicode's normal form C")
    if FORBIDDEN.fullmatch(path.rpartition("/")[2]):
        raise Refused(f"{path} is a name that Windows forbids")
    other = paths.setdefault(path.casefold(), path)
    if other != path:
        raise Refused(f"{path} and {other} differ in case only")


def read_file(path, entry):
    """Raises Refused for a file that is not regular, is too large, or contains a token."""
    if entry.is_symlink():
        raise Refused(f"{path} is a symbolic link")
    if not entry.is_file():
        raise Refused(f"{path} is not a regular file")
    with Path(entry).open("rb") as file:
        data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise Refused(f"{path} is larger than {MAX_FILE // 1024} KiB")
    # Latin-1 decodes every byte to one character.
    if holds_token(data.decode("latin-1")):
        raise Refused(f"{path} holds a token of this marketplace")
    return as_stored(path, data, is_executable=bool(entry.stat().st_mode & 0o100))


def as_stored(path, data, *, is_executable):
    """A file in the form of `Skill.files`."""
    return {
        "path": path,
        "size": len(data),
        "digest": content_digest(data),
        "is_text": is_text(data),
        "is_executable": is_executable,
    }


def is_text(data):
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def is_skipped(folder):
    """Whether an import looks for nothing in a folder of this name."""
    return folder == ".git" or CACHES.fullmatch(folder) is not None


def is_below(path, root):
    """Whether a path is below the root after its links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
