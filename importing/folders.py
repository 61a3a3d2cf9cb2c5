"""A skill's folder on disk: which files are stored, and why it may be refused (contract 17.2)."""

import os
from codecs import getincrementaldecoder
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from django.db import transaction

from catalogue.frontmatter import Refused
from catalogue.models import FileContent
from importing.members import MAX_FILE, MIB
from importing.names import check_path, is_skill_md, normalized, reason_to_leave_out
from importing.reports import all_of
from marketplace.large_values import pieces_of
from marketplace.secrets import holds_token

MAX_FILES, MAX_FOLDER = 1000, 30 * MIB  # files, bytes


@dataclass
class ImportFolder:
    """The files of a folder besides its SKILL.md: `files` is like `Skill.files`."""

    root: Path
    files: list = field(default_factory=list)
    places: dict = field(default_factory=dict)  # where each is on disk, by path
    left_out: list = field(default_factory=list)  # (path, reason)
    skills: list = field(default_factory=list)  # the folders below it that are skills, too

    def add(self, file, entry):
        path = file["path"]
        self.files.append(file)
        self.places[path] = Path(entry)
        if is_skill_md(entry.name):
            self.skills.append(path.rpartition("/")[0])

    def store(self, stored):
        """Store the files whose digests are not `stored` yet, and add those.

        Raises Refused if a file has changed meanwhile.
        """
        files = {file["digest"]: file for file in self.files if file["digest"] not in stored}
        if files:
            with transaction.atomic():
                FileContent.objects.store(
                    (file, self.unchanged_pieces(file)) for file in files.values()
                )
            stored.update(files)

    def unchanged_pieces(self, file):
        """The pieces of a file's bytes. After the last, raises Refused if they have changed."""
        digest = sha256()
        with self.places[file["path"]].open("rb") as opened:
            for piece in pieces_of(opened):
                digest.update(piece)
                yield piece
        if f"sha256:{digest.hexdigest()}" != file["digest"]:
            raise Refused(f"{file['path']} was changed while it was imported; import it again")


def read_folder(skill_md):
    """The folder of a SKILL.md. Raises Refused, or OSError."""
    folder = ImportFolder(skill_md.parent.resolve())
    # Keyed by the path as a case-insensitive disk knows it.
    paths = {skill_md.name.casefold(): skill_md.name}
    size, reasons = 0, []
    for path, entry in walk(folder, skill_md):
        try:
            check_path(path, paths)
            if entry.is_dir(follow_symlinks=False):
                continue
            file = read_file(path, entry)
        except Refused as error:
            reasons.append(str(error))
            continue
        size += file["size"]
        if reason := reason_of_limit(len(folder.files), size):
            reasons.append(reason.format(path))
            break
        folder.add(file, entry)
    if reasons:
        raise Refused(all_of(reasons))
    folder.files.sort(key=lambda file: file["path"].encode())
    return folder


def reason_of_limit(files, size):
    """Why a folder of so many files cannot have another one, with which it has this size; or ""."""
    if files == MAX_FILES:
        return f"more than {MAX_FILES:,} files: {{}} is one too many"
    return f"more than {MAX_FOLDER // MIB} MiB: {{}} exceeds the limit" if size > MAX_FOLDER else ""


def walk(folder, skill_md, place=None, below=""):
    """Each file and folder of a skill's folder that is not left out, as (path, entry)."""
    for entry in sorted(os.scandir(place or folder.root), key=lambda entry: entry.name):
        path = below + normalized(entry.name)
        if path == skill_md.name:
            continue
        reason = reason_to_leave_out(entry.name)
        if not reason and entry.is_symlink():
            reason = reason_not_to_follow(entry, folder.root)
        if reason:
            folder.left_out.append((path, reason))
            continue
        yield path, entry
        if entry.is_dir(follow_symlinks=False):
            yield from walk(folder, skill_md, entry, f"{path}/")


def reason_not_to_follow(link, root):
    """Why a link in a skill's folder is left out, or "" if it leads to one of its files."""
    target = Path(os.path.realpath(link))
    if not target.is_relative_to(root):
        return "a link that leads out of the skill"
    if target.is_dir():
        return "a link to a folder"
    if not target.is_file():
        return "a link that leads nowhere"
    if any(map(reason_to_leave_out, target.relative_to(root).parts)):
        return "a link to a file that is left out"
    return ""


def read_file(path, entry):
    """Raises Refused for a file that is not regular, is too large, or contains a token."""
    if not entry.is_file():
        raise Refused(f"{path} is not a regular file")
    with Path(entry).open("rb") as file:
        return as_stored(path, pieces_of(file), is_executable=bool(entry.stat().st_mode & 0o100))


def as_stored(path, pieces, *, is_executable):
    """A file of these bytes in the form of `Skill.files`. Raises Refused."""
    size, digest, text, before = 0, sha256(), TextDetector(), ""
    for piece in pieces:
        size += len(piece)
        if size > MAX_FILE:
            raise Refused(f"{path} is larger than {MAX_FILE // MIB} MiB")
        # Latin-1 decodes every byte to one character. A token may be in two pieces.
        letters = before + piece.decode("latin-1")
        if holds_token(letters):
            raise Refused(f"{path} holds a token of this marketplace")
        before = letters[-100:]
        digest.update(piece)
        text.read(piece)
    return {
        "path": path,
        "size": size,
        "digest": f"sha256:{digest.hexdigest()}",
        "is_text": text.is_whole(),
        "is_executable": is_executable,
    }


class TextDetector:
    """Whether bytes that are read in pieces are text."""

    def __init__(self):
        self.decoder, self.is_text = getincrementaldecoder("utf-8")(), True

    def read(self, piece, *, final=False):
        try:
            self.is_text = self.is_text and "\0" not in self.decoder.decode(piece, final)
        except UnicodeDecodeError:
            self.is_text = False

    def is_whole(self):
        self.read(b"", final=True)
        return self.is_text


def is_below(path, root):
    """Whether a path is below the root after its links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
