"""Reading a .tar.gz that staff upload. Nothing of tarfile's own extraction is used."""

import gzip
import io
import tarfile
import zlib
from contextlib import contextmanager
from functools import partial
from os.path import relpath
from pathlib import PurePosixPath
from tempfile import TemporaryFile

from catalogue.frontmatter import Refused
from importing.members import (
    MAX_MEMBERS,
    MAX_UNPACKED,
    MIB,
    Member,
    UnreadableArchive,
    write_members,
)
from importing.reports import printable

# A member has a header, and before it those of a long name or of its other attributes.
MAX_TAR = MAX_UNPACKED + MAX_MEMBERS * 8 * tarfile.BLOCKSIZE
MAX_HEADER = 64 * 1024  # bytes of attributes; tarfile holds them in memory
KINDS = {*tarfile.REGULAR_TYPES, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE}
HEADERS = {
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
}
UNREADABLE = tarfile.TarError, EOFError, ValueError, OverflowError, zlib.error, OSError


class Header(tarfile.TarInfo):
    """Refuses attributes that would fill the memory before tarfile reads them."""

    @classmethod
    def frombuf(cls, *arguments):
        header = super().frombuf(*arguments)
        if header.type in HEADERS and header.size > MAX_HEADER:
            raise Refused(f"The upload holds a header of more than {MAX_HEADER // 1024} KiB.")
        return header


def untar(file, root):
    """Write the files of a .tar.gz below the root. Raises Refused for a hostile one."""
    try:
        with TemporaryFile() as whole:
            decompress(file, whole)
            with tarfile.open(
                fileobj=whole, mode="r:", tarinfo=Header, encoding="utf-8"
            ) as archive:
                write_members((member_of(archive, info) for info in archive), root)
    except UNREADABLE as error:
        raise Refused("The file is not a readable .tar.gz.") from error


def decompress(file, whole):
    """Write what is in a gzip file to another file, which tarfile can seek in."""
    room = MAX_TAR
    with gzip.GzipFile(fileobj=file) as packed:
        while piece := packed.read(MIB):
            room -= len(piece)
            if room < 0:
                raise Refused(f"The upload unpacks to more than {MAX_UNPACKED // MIB} MiB.")
            whole.write(piece)
    whole.seek(0)


def member_of(archive, info):
    """Raises Refused for a member that an honest archive of entries does not have."""
    try:
        info.name.encode()
    except UnicodeEncodeError as error:
        name = printable(info.name)[:100]
        raise Refused(f"The upload holds a name that is not UTF-8: {name}") from error
    member = Member(
        info.name,
        partial(open_member, archive, info),
        is_folder=info.isdir(),
        is_link=info.issym() or info.islnk(),
        is_executable=bool(info.mode & 0o100),
    )
    if info.type not in KINDS:
        raise Refused(f"The upload holds a device or a sparse file: {member}")
    if info.issparse() or info.size < 0:
        raise Refused(f"The upload holds a device or a sparse file: {member}")
    return member


@contextmanager
def open_member(archive, info):
    """The bytes of a file, or where a link leads."""
    try:
        if info.islnk():  # another name of a file, from the root of the archive
            target = relpath(info.linkname, PurePosixPath(info.name).parent)
            yield io.BytesIO(target.encode(errors="surrogateescape"))
        elif info.issym():
            yield io.BytesIO(info.linkname.encode(errors="surrogateescape"))
        else:
            with archive.extractfile(info) as file:
                yield file
    except UNREADABLE as error:
        raise UnreadableArchive from error
