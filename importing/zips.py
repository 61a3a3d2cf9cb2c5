"""Reading staff uploads: a Markdown file, or a zip of entries."""

import io
import stat
import zipfile
import zlib
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from catalogue.archives import UNIX
from catalogue.frontmatter import (
    MAX_BYTES,
    Refused,
    plain_newlines,
    read_frontmatter,
)
from catalogue.slugs import as_slug
from importing.base import printable
from importing.folders import MAX_PARTS, is_too_deep

MAX_UPLOAD = 10 * 1024 * 1024
MAX_UNPACKED = 50 * 1024 * 1024
MAX_ENTRIES = 1000
MAX_MEMBERS = 5000
MAX_LISTED = 40_000  # members that a zip may list before it is read
MAX_FOLDERS = 5000
MAX_PATH = 400  # characters
LISTED = b"PK\1\2"  # before each member in a zip's directory
# RuntimeError and NotImplementedError: features of the format that zipfile does not support.
UNREADABLE = zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError


@contextmanager
def unpacked(name, data, importer):
    """The temporary folder of a zip's files, or a Markdown file in its own folder.

    Raises Refused, in one sentence.
    """
    if len(data) > MAX_UPLOAD:
        raise Refused(f"The file is larger than {MAX_UPLOAD // 1024**2} MiB.")
    with TemporaryDirectory() as folder:
        stem = as_slug(PurePosixPath(name).stem) or "upload"
        if name.lower().endswith(".zip"):
            root = Path(folder) / stem
            root.mkdir()
            unzip(data, root)
        elif name.lower().endswith(".md"):
            folder_name = named_folder(data, stem)
            # The file itself, because the importer leaves out names such as README.md in a folder.
            root = Path(folder) / folder_name / importer.single_file.format(folder_name)
            root.parent.mkdir()
            root.write_bytes(data)
            importer.has_folders = False  # its other files were not uploaded
        else:
            raise Refused("Upload a Markdown file (.md) or a zip of them.")
        paths = [path for _, path in islice(importer.find(root), MAX_ENTRIES + 1)]
        if not paths:
            raise Refused(f"The zip holds no {importer.looks_for}.")
        if len(paths) > MAX_ENTRIES:
            last = printable(paths[-1].relative_to(root))
            raise Refused(
                f"The zip holds more than {MAX_ENTRIES:,} entries: {last} is one too many."
            )
        yield root


def named_folder(data, stem):
    """The folder of a single file, named by its frontmatter, or else by its file name."""
    try:
        fields, _ = read_frontmatter(plain_newlines(data.decode(errors="replace")))
    except Refused:
        return stem
    return as_slug(fields.line("name")) or stem


def unzip(data, root):
    """Write the files of a zip below the root. Raises Refused for a hostile zip."""
    # Before zipfile reads the directory, which would fill the memory.
    if data.count(LISTED) > MAX_LISTED:
        raise Refused("The zip's list of its files is too long.")
    try:
        # A name without the flag for UTF-8 is UTF-8 anyway, as macOS writes it.
        with zipfile.ZipFile(io.BytesIO(data), metadata_encoding="utf-8") as archive:
            members = archive.infolist()
            check_members(members)
            room = MAX_UNPACKED
            for member in members:
                if not member.is_dir():
                    room -= write_member(archive, member, root, room)
    except UnicodeDecodeError as error:
        name = printable(error.object)[:100]
        raise Refused(f"The zip holds a name that is not UTF-8: {name}") from error
    except (*UNREADABLE, zipfile.LargeZipFile, ValueError) as error:
        raise Refused("The file is not a readable zip.") from error


def check_members(members):
    names, folders = set(), set()
    for member in members:
        name = printable_name(member)
        if len(names) == MAX_MEMBERS:
            raise Refused(f"The zip holds more than {MAX_MEMBERS:,} files: {name} is one too many.")
        if member.filename in names:
            raise Refused(f"The zip holds a file twice: {name}")
        names.add(member.filename)
        check_member(member)
        folders.update(PurePosixPath(member.filename).parents)
        if len(folders) > MAX_FOLDERS:
            raise Refused(
                f"The upload has more than {MAX_FOLDERS:,} folders: that of {name} is one too many."
            )


def check_member(member):
    """Raises Refused for a member that an honest zip of entries does not have."""
    name = printable_name(member)
    # An extra field may give a member another name than its header.
    for path in {member.filename, member.orig_filename}:
        parts = path.removesuffix("/").split("/")
        if {"", ".", ".."}.intersection(parts) or len(path) > MAX_PATH or set(path) & {*"\\:\0"}:
            raise Refused(f"The zip holds a path that is not allowed: {name}")
    if is_too_deep(member.filename):
        raise Refused(f"The upload has a path of more than {MAX_PARTS} parts: {name}")
    mode = member.external_attr >> 16 if member.create_system == UNIX else 0
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise Refused(f"The zip holds a link or a device: {name}")
    if member.flag_bits & 1:
        raise Refused(f"The zip holds an encrypted file: {name}")
    # Other methods may need much memory, or are not supported.
    if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise Refused(f"The zip holds a file that is neither stored nor deflated: {name}")


def write_member(archive, member, root, room):
    """Write one file and return its size; the declared sizes of a zip are not trusted."""
    name = printable_name(member)
    try:
        with archive.open(member) as file:
            # One byte more than MAX_BYTES, so that the importer refuses the file.
            data = file.read(min(MAX_BYTES, room) + 1)
        if len(data) > room:
            raise Refused(
                f"The zip unpacks to more than {MAX_UNPACKED // 1024**2} MiB: {name} exceeds the "
                "limit."
            )
        path = root / member.filename
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except (*UNREADABLE, OSError) as error:
        raise Refused(f"The zip holds a file that cannot be read: {name}") from error
    if member.create_system == UNIX and member.external_attr >> 16 & stat.S_IXUSR:
        path.chmod(0o755)
    return len(data)


def printable_name(member):
    return printable(member.orig_filename)[:100]
