"""Reading what staff upload: a Markdown file, or a zip of them."""

import io
import stat
import zipfile
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from catalogue.frontmatter import (
    MAX_BYTES,
    Refused,
    as_slug,
    plain_newlines,
    read_frontmatter,
)
from catalogue.importing.base import printable

MAX_UPLOAD = 10 * 1024 * 1024
MAX_UNPACKED = 50 * 1024 * 1024
MAX_FILES = 1000
MAX_MEMBERS = 10_000  # of a zip: whatever else lies beside the Markdown files
MAX_PATH = 400  # characters


@contextmanager
def unpacked(name, data, importer):
    """A temporary folder with the files of an upload. Raises Refused, in one sentence."""
    if len(data) > MAX_UPLOAD:
        raise Refused(f"The file is larger than {MAX_UPLOAD // 1024**2} MiB.")
    with TemporaryDirectory() as folder:
        stem = as_slug(PurePosixPath(name).stem) or "upload"
        if name.lower().endswith(".zip"):
            root = Path(folder) / stem
            root.mkdir()
            unzip(data, root)
        elif name.lower().endswith(".md"):
            named = named_folder(data, stem)
            root = Path(folder) / named
            root.mkdir()
            (root / importer.single_file.format(named)).write_bytes(data)
        else:
            raise Refused("Upload a Markdown file (.md) or a zip of them.")
        if next(importer.find(root), None) is None:
            raise Refused(f"The zip holds no {importer.looks_for}.")
        yield root


def named_folder(data, stem):
    """The folder of a single file: named by its frontmatter, or else by its file name."""
    try:
        fields, _ = read_frontmatter(plain_newlines(data.decode(errors="replace")))
    except Refused:
        return stem
    return as_slug(fields.line("name")) or stem


def unzip(data, root):
    """Write the Markdown files of a zip below the root. Raises Refused for a hostile zip."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MAX_MEMBERS:
                raise Refused(f"The zip holds more than {MAX_MEMBERS:,} files.")
            wanted = [member for member in members if is_wanted(member)]
            if len(wanted) > MAX_FILES:
                raise Refused(f"The zip holds more than {MAX_FILES:,} Markdown files.")
            left = MAX_UNPACKED
            for member in wanted:
                left -= write_member(archive, member, root, left)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError) as error:
        # RuntimeError: it has a password. NotImplementedError: an unusual compression.
        raise Refused("The file is no zip that can be read.") from error
    except (OSError, ValueError, EOFError) as error:
        raise Refused("The zip holds a file name or data that cannot be read.") from error


def is_wanted(member):
    """Whether it is a Markdown file. Raises Refused for a link, or a path that leads outside."""
    path = PurePosixPath(member.filename)
    if (
        path.is_absolute()
        or ".." in path.parts
        or len(member.filename) > MAX_PATH
        or any(character in member.filename for character in "\\:\0")
    ):
        raise Refused(f"The zip holds a path that is not allowed: {printable(str(path))[:100]}")
    mode = member.external_attr >> 16
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise Refused(f"The zip holds a link or a device: {printable(str(path))[:100]}")
    return not member.is_dir() and path.suffix.lower() == ".md" and "__MACOSX" not in path.parts


def write_member(archive, member, root, left):
    """Write one file and return its size; the sizes that a zip declares are not trusted."""
    with archive.open(member) as packed:
        # One byte more than MAX_BYTES, so that the importer refuses this file alone.
        text = packed.read(min(MAX_BYTES, left) + 1)
    if len(text) > left:
        raise Refused(f"The zip unpacks to more than {MAX_UNPACKED // 1024**2} MiB.")
    path = root / member.filename
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return len(text)
