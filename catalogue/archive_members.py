"""Reading what is in an archive, within limits."""

import bz2
import io
import lzma
import zipfile
import zlib
from typing import NamedTuple

from catalogue.file_kinds import BZIP2, GZIP, READABLE, TAR, XZ, ZIP, unreadable_kind

MAX_MEMBERS, MAX_BYTES = 100, 8 * 1024 * 1024  # of one archive
MAX_UNPACKED = 32 * 1024 * 1024  # bytes of all archives of a folder
# Before zipfile reads the list of members, which would fill the memory.
MAX_LISTED, LISTED = 5_000, b"PK\1\2"
MEMORY = 64 * 1024 * 1024  # for xz
BLOCK = 512  # bytes of a tar
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(ValueError, RuntimeError, NotImplementedError, OverflowError, KeyError),
)
TOO_MANY = f"it has more than {MAX_MEMBERS} members"
TOO_LARGE = f"its members are larger than {MAX_BYTES // 1024**2} MiB"
TOO_MANY_BYTES = f"the archives before it have more than {MAX_UNPACKED // 1024**2} MiB"
DAMAGED = "not all of it can be read"


class Unread(Exception):
    """A part of an archive that was not read, and the reason."""


class ArchivedFile(NamedTuple):
    path: str
    data: bytes


class Room:
    """The bytes that may still be unpacked from the archives of a folder."""

    def __init__(self):
        self.left = MAX_UNPACKED

    def take(self, data):
        self.left -= len(data)
        return data


def members_of(data, kind, folder):
    """Each ArchivedFile. Raises Unread in the place of those that it cannot read.

    `folder` is the Room of the archives beside it.
    """
    if kind not in READABLE:
        raise Unread("its members cannot be read here")
    if folder.left <= 0:
        raise Unread(TOO_MANY_BYTES)
    room = MAX_BYTES
    try:
        for number, member in enumerate(READERS[kind](data, folder)):
            if number == MAX_MEMBERS:
                raise Unread(TOO_MANY)
            path, read = member
            content = folder.take(read(room + 1))
            yield ArchivedFile(path, content[:room])
            room -= len(content)
            if room < 0:
                raise Unread(TOO_LARGE)
    except UNREADABLE as error:
        raise Unread(DAMAGED) from error


def zip_members(data, _folder):
    if data.count(LISTED) > MAX_LISTED:
        raise Unread(TOO_MANY)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            # Other methods may need much memory.
            if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise Unread(DAMAGED)
            with archive.open(info) as file:
                yield info.filename, file.read


def compressed_members(data, folder, decompressor):
    """The one file of a compressed file, which has no path, or the members of a tar."""
    content = folder.take(decompressor.decompress(data, MAX_BYTES + 1))
    if unreadable_kind(content) == TAR:
        yield from tar_members(content, folder)
    else:
        yield "", io.BytesIO(content).read
    if len(content) > MAX_BYTES:
        raise Unread(TOO_LARGE)
    if not decompressor.eof or decompressor.unused_data:
        raise Unread(DAMAGED)


def tar_members(data, _folder):
    """The regular files of a tar. The standard library's reader has no bound for its headers."""
    position = 0
    while position + BLOCK <= len(data) and data[position] != 0:
        header = data[position : position + BLOCK]
        size, start = tar_size(header[124:136]), position + BLOCK
        if header[156:157] in b"0\0":
            prefix, name = (field.partition(b"\0")[0] for field in (header[345:500], header[:100]))
            path = b"/".join(filter(None, (prefix, name))).decode(errors="replace")
            yield path, io.BytesIO(data[start : start + size]).read
        position = start + -(-size // BLOCK) * BLOCK


def tar_size(field):
    if field[0] & 0x80:  # in base 256
        return int.from_bytes(field[1:], "big")
    return max(0, int(field.strip(b"\0 ") or b"0", 8))


READERS = {
    ZIP: zip_members,
    TAR: tar_members,
    GZIP: lambda *archive: compressed_members(*archive, zlib.decompressobj(zlib.MAX_WBITS | 16)),
    BZIP2: lambda *archive: compressed_members(*archive, bz2.BZ2Decompressor()),
    XZ: lambda *archive: compressed_members(*archive, lzma.LZMADecompressor(memlimit=MEMORY)),
}
