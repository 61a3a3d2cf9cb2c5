"""Reading staff uploads: a Markdown file, or an archive of entries."""

import io
import stat
import zipfile
import zlib
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from catalogue.archives import UNIX
from catalogue.frontmatter import MAX_BYTES, Refused, read_frontmatter
from catalogue.slugs import as_slug
from importing.importers import MARKDOWN
from importing.members import MIB, Member, UnreadableArchive, write_members
from importing.reports import printable
from importing.tars import untar

MAX_UPLOAD = 32 * MIB
MAX_ENTRIES = 1000
MAX_LISTED = 40_000  # members that a zip may list before it is read
LISTED = b"PK\1\2"  # before each member in a zip's directory
IN_UTF_8 = 0x800  # the flag of a name
UNICODE_PATH = 0x7075  # an extra field: the name in UTF-8, with a checksum of the other one
# RuntimeError and NotImplementedError: features of the format that zipfile does not support.
UNREADABLE = zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError


@contextmanager
def unpacked(name, data, importer):
    """The temporary folder of an archive's files, or a Markdown file in its own folder.

    `data` is bytes, or a file of them. Raises Refused, in one sentence.
    """
    file = as_file(data)
    if file.seek(0, io.SEEK_END) > MAX_UPLOAD:
        raise Refused(f"The file is larger than {MAX_UPLOAD // MIB} MiB.")
    file.seek(0)
    with TemporaryDirectory() as folder:
        root = write_upload(name, file, importer, Path(folder))
        paths = [path for _, path in islice(importer.find(root), MAX_ENTRIES + 1)]
        if not paths:
            raise Refused(f"The upload holds no {importer.looks_for}. {importer.advice}".strip())
        if len(paths) > MAX_ENTRIES:
            last = printable(paths[-1].relative_to(root))
            raise Refused(
                f"The upload holds more than {MAX_ENTRIES:,} entries: {last} is one too many."
            )
        yield root


def as_file(data):
    return io.BytesIO(data) if isinstance(data, bytes) else data


def write_upload(name, file, importer, folder):
    """Write the files of an upload below the folder, and return what to import."""
    lower, stem = name.lower(), as_slug(PurePosixPath(name).name.partition(".")[0]) or "upload"
    if lower.endswith(MARKDOWN):
        importer.has_folders = False  # its other files were not uploaded
        # One byte more than MAX_BYTES, so that the importer refuses the file.
        return write_markdown(file.read(MAX_BYTES + 1), importer, folder, stem)
    unpack = next((ARCHIVES[suffix] for suffix in ARCHIVES if lower.endswith(suffix)), None)
    if unpack is None:
        raise Refused("Upload a Markdown file (.md), or a .zip, .skill or .tar.gz of them.")
    root = folder / stem
    root.mkdir()
    unpack(file, root)
    return root


def write_markdown(data, importer, folder, stem):
    folder_name = named_folder(data, stem)
    # The file itself, because the importer leaves out names such as README.md in a folder.
    path = folder / folder_name / importer.single_file.format(folder_name)
    path.parent.mkdir()
    path.write_bytes(data)
    return path


def named_folder(data, stem):
    """The folder of a single file, named by its frontmatter, or else by its file name."""
    try:
        fields, _ = read_frontmatter(data.decode(errors="replace"))
    except Refused:
        return stem
    return as_slug(fields.line("name")) or stem


def unzip(data, root):
    """Write the files of a zip below the root. Raises Refused for a hostile zip."""
    file = as_file(data)
    # Before zipfile reads the directory, which would fill the memory.
    if occurrences(file, LISTED) > MAX_LISTED:
        raise Refused("The zip's list of its files is too long.")
    try:
        with zipfile.ZipFile(file) as archive:
            write_members(members_of(archive), root)
    except UnicodeDecodeError as error:
        name = printable(error.object)[:100]
        raise Refused(f"The upload holds a name that is not UTF-8: {name}") from error
    except (*UNREADABLE, zipfile.LargeZipFile, ValueError) as error:
        raise Refused("The file is not a readable zip.") from error


def occurrences(file, text):
    """How often a file holds the text."""
    number, before = 0, b""
    file.seek(0)
    while piece := file.read(MIB):
        number += (before + piece).count(text)
        before = piece[1 - len(text) :]
    return number


def members_of(archive):
    """The members. Old programs for Windows write all of their paths with backslashes."""
    names = [name_of(info) for info in archive.infolist()]
    if not any("/" in name for name in names):
        names = [name.replace("\\", "/") for name in names]
    for info, name in zip(archive.infolist(), names, strict=True):
        yield member_of(archive, info, name)


def member_of(archive, info, name):
    """Raises Refused for a member that an honest zip of entries does not have."""
    mode = info.external_attr >> 16 if info.create_system == UNIX else 0
    kind = stat.S_IFMT(mode)
    member = Member(
        name,
        partial(open_member, archive, info),
        is_folder=name.endswith("/") and kind != stat.S_IFLNK,
        is_link=kind == stat.S_IFLNK,
        is_executable=bool(mode & stat.S_IXUSR),
    )
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}:
        raise Refused(f"The upload holds a device: {member}")
    if info.flag_bits & 1:
        raise Refused(f"The upload holds an encrypted file: {member}")
    # Other methods may need much memory, or are not supported.
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise Refused(f"The upload holds a file that is neither stored nor deflated: {member}")
    return member


def name_of(info):
    """The name of a member: UTF-8 where it is that, or else, like unzip, cp437 unless Unix made it.

    Raises UnicodeDecodeError.
    """
    # Without the flag, zipfile takes a name for cp437, in which every byte is one character.
    raw = info.orig_filename.encode("utf-8" if info.flag_bits & IN_UTF_8 else "cp437")
    try:
        return unicode_path(info.extra, raw) or raw.decode()
    except UnicodeDecodeError:
        if info.create_system == UNIX:
            raise
        return info.orig_filename


def unicode_path(extra, raw):
    """The name in the Unicode Path field, if it is there and belongs to this name."""
    while len(extra) >= 4:
        kind, size = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        value, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == UNICODE_PATH and value[:5] == b"\1" + zlib.crc32(raw).to_bytes(4, "little"):
            return value[5:].decode()
    return ""


@contextmanager
def open_member(archive, info):
    try:
        with archive.open(info) as file:
            yield file
    except UNREADABLE as error:
        raise UnreadableArchive from error


ARCHIVES = {".zip": unzip, ".skill": unzip, ".tar.gz": untar, ".tgz": untar}
