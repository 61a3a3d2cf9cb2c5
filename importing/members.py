"""The files of an uploaded archive, whatever its format, written below a folder."""

import os
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from catalogue.frontmatter import Refused
from importing.names import MAX_PARTS, is_too_deep, normalized
from importing.reports import printable

MIB = 1024 * 1024
MAX_FILE = 10 * MIB  # bytes
MAX_UNPACKED = 50 * MIB
MAX_MEMBERS = 5000
MAX_FOLDERS = 5000
MAX_PATH = 400  # characters
MAX_LINK = 4096  # bytes of where a link leads


class UnreadableArchive(Exception):
    """A damaged part of an archive."""


@dataclass
class Member:
    """A file or a folder of an archive, or a link in it. Its path is in NFC."""

    path: str
    open: Callable  # a context manager of the file to read its bytes, or where the link leads
    is_folder: bool = False
    is_link: bool = False
    is_executable: bool = False

    def __post_init__(self):
        self.path = normalized(self.path.removeprefix("./").removesuffix("/"))

    def __str__(self):
        return printable(self.path)[:100]


def write_members(members: Iterable[Member], root):
    """Write the files below the root. Raises Refused for what no honest archive has.

    Links are written last, so that no file is written through one.
    """
    room = MAX_UNPACKED
    members = checked(members)
    for member in members:
        if not (member.is_folder or member.is_link):
            room -= write_file(member, root, room)
    for member in members:
        if member.is_link:
            write_link(member, root)


def checked(members):
    """The members as a list, without the root folder itself."""
    found, folders = {}, set()
    for member in members:
        if member.is_folder and member.path in {"", "."}:
            continue
        if len(found) == MAX_MEMBERS:
            raise Refused(
                f"The upload holds more than {MAX_MEMBERS:,} files: {member} is one too many."
            )
        check_path(member)
        if member.path in found:
            raise Refused(f"The upload holds a file twice: {member}")
        found[member.path] = member
        folders.update(PurePosixPath(member.path).parents)
        if len(folders) > MAX_FOLDERS:
            raise Refused(
                f"The upload has more than {MAX_FOLDERS:,} folders: that of {member} is one too "
                "many."
            )
    check_links(found.values())
    return list(found.values())


def check_path(member):
    if problem := problem_of_path(member.path):
        raise Refused(f"The upload holds {problem}: {member}")


def problem_of_path(path):
    """The problem with a path in an archive or a repository, or ""."""
    if "\\" in path:
        return "a path that is not allowed, with a backslash"
    if {"", ".", ".."}.intersection(path.split("/")) or set(path) & {*":\0"}:
        return "a path that is not allowed"
    if len(path) > MAX_PATH:
        return f"a path of more than {MAX_PATH} characters"
    if is_too_deep(path):
        return f"a path of more than {MAX_PARTS} parts"
    return ""


def check_links(members):
    """Raises Refused for a file below a link: writing it would follow the link."""
    # A case-insensitive disk takes both names for one.
    links = {PurePosixPath(member.path.casefold()) for member in members if member.is_link}
    for member in members:
        if not links.isdisjoint(PurePosixPath(member.path.casefold()).parents):
            raise Refused(f"The upload holds a file below a link: {member}")


def write_file(member, root, room):
    """Write one file and return its size; the declared sizes of an archive are not trusted."""
    path, size = root / member.path, 0
    # One byte more than MAX_FILE, so that the importer refuses the file.
    most = min(MAX_FILE, room) + 1
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with member.open() as source, path.open("xb") as file:
            while size < most and (piece := source.read(min(MIB, most - size))):
                file.write(piece)
                size += len(piece)
        if member.is_executable:
            path.chmod(0o755)
    except UNREADABLE as error:
        raise Refused(f"The upload holds a file that cannot be read: {member}") from error
    if size > room:
        raise Refused(
            f"The upload unpacks to more than {MAX_UNPACKED // MIB} MiB: {member} exceeds the "
            "limit."
        )
    return size


def write_link(member, root):
    """Write a link as it is: the importer follows it only to a file of the same skill."""
    path = root / member.path
    try:
        with member.open() as source:
            target = os.fsdecode(source.read(MAX_LINK))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    except (*UNREADABLE, ValueError) as error:
        raise Refused(f"The upload holds a link that cannot be read: {member}") from error


UNREADABLE = UnreadableArchive, OSError, EOFError, zlib.error
