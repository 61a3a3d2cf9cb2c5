"""Large downloads as files: each is written once and sent from its file, which takes no memory.

The processes of a host share one folder in the temporary directory. A file is named by the digest
of its content, or of its sources, so two processes that write it write the same bytes. A file that
is removed while it is sent stays readable for everyone who has it open.
"""

import os
import stat
import tempfile
from contextlib import suppress
from io import FileIO
from pathlib import Path
from threading import Lock

from django.conf import settings

MAX_WAIT = 3  # seconds to wait while other files are written
turn = Lock()


class StoreUnavailable(Exception):
    """The file cannot be written now; the same request may succeed later."""


class StoredFile(FileIO):
    """Part of a file, from the current position. Servers take its descriptor and send that."""

    def __init__(self, path):
        super().__init__(path)
        self.stop = self.size = os.fstat(self.fileno()).st_size

    def limit_to(self, part):
        self.seek(part.start)
        self.stop = part.stop

    def read(self, size=-1):
        remaining = max(self.stop - self.tell(), 0)
        return super().read(min(size, remaining) if size >= 0 else remaining)


def open_stored(name, size, write):
    """The file of this name and size; if the folder lacks it, `write(file)` writes it.

    Without a size, the name alone identifies the content. Raises StoreUnavailable.
    """
    try:
        path = own_folder() / name
        return open_if_whole(path, size) or write_in_turn(path, size, write)
    except OSError as error:
        raise StoreUnavailable(str(error)) from error


def own_folder():
    """The folder, created again if a cleaner removed it. No other user may choose its files."""
    folder = Path(tempfile.gettempdir()) / f"marketplace-downloads-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PermissionError(f"{folder} is not a folder of this user alone")
    return folder


def open_if_whole(path, size):
    """The file, or None if it is missing or truncated, for example after a crash."""
    try:
        file = StoredFile(path)
    except FileNotFoundError:
        return None
    if size is not None and file.size != size:
        file.close()
        return None
    os.utime(file.fileno())
    return file


def write_in_turn(path, size, write):
    """Write one file at a time: many would take memory, and many requests want the same one."""
    if not turn.acquire(timeout=MAX_WAIT):
        raise TimeoutError("other downloads are being written")
    try:
        file = open_if_whole(path, size)
        if file is None:
            make_room(path.parent, settings.DOWNLOAD_BYTES - (size or 0))
            write_file(path, write, is_synced=size is None)
            file = open_if_whole(path, size)
            if size is None:
                make_room(path.parent, settings.DOWNLOAD_BYTES)
    finally:
        turn.release()
    if file is None:
        raise OSError(f"{path.name} was not written with {size} bytes")
    return file


def write_file(path, write, *, is_synced):
    """Readers only see the whole file; if it is synced, even after a crash."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        temporary = Path(file.name)
        try:
            write(file)
            if is_synced:
                file.flush()
                os.fsync(file.fileno())
            file.close()
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def make_room(folder, room):
    """Remove the files that were not read for longest, until the others fit."""
    for _, size, path in sorted(files_in(folder), reverse=True):
        room -= size
        if room < 0:
            path.unlink(missing_ok=True)


def files_in(folder):
    for path in folder.iterdir():
        # Another process may have removed it since.
        with suppress(FileNotFoundError):
            status = path.stat()
            yield status.st_mtime_ns, status.st_size, path
