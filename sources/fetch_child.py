"""The process that reads what a stranger's server sends, with limits of its own.

    python -m sources.fetch_child FOLDER < order.json

It has no settings, no database and no secret but the source's own token. It writes the files below
`FOLDER/files`, and the outcome to `FOLDER/result.json`. It does not import Django.
"""

import ctypes
import json
import resource
import signal
import sys
import zlib
from pathlib import Path
from urllib.parse import urlsplit

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException
from dulwich.pack import UnresolvedDeltas

from sources.exceptions import DiskFails, RefIsGone, SourceFails
from sources.packed_files import PackedFiles, opened
from sources.remote import Remote

PACK = "fetched.pack"
# Errors of dulwich for a damaged pack, or one that lacks an object.
DAMAGED = (
    *(ApplyDeltaError, ChecksumMismatch, FileFormatException, UnresolvedDeltas, zlib.error),
    *(AssertionError, BufferError, IndexError, KeyError, TypeError, ValueError),
)


def main(folder):
    order = json.load(sys.stdin)
    limit(order)
    try:
        result = fetch(order, folder)
    except SourceFails as error:
        result = failure(error, is_gone=isinstance(error, RefIsGone))
    except MemoryError:
        result = failure("Reading the repository takes too much memory.")
    except OSError as error:
        (folder / PACK).unlink(missing_ok=True)  # The disk may be full.
        result = failure(DiskFails(error))
    (folder / "result.json").write_text(json.dumps(result))


def failure(reason, *, is_gone=False):
    return {"reason": str(reason), "is_gone": is_gone}


def limit(order):
    """Bound memory, time and the size of a file; end with the parent."""
    signal.alarm(order["seconds"] + 5)  # The parent ends it first, and says why.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (order["room"], order["room"]))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (order["memory"], order["memory"]))
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def fetch(order, folder):
    """Fetch and write the files: `{commit, rewritten, findings}`. Raises SourceFails."""
    remote = Remote(urlsplit(order["url"]), order["token"], order["room"])
    sha = remote.sha_of(order["ref"])
    path = folder / PACK
    with path.open("wb") as file:
        remote.write_pack(sha, file)
    (folder / "files").mkdir()
    try:
        with opened(path) as pack:
            files = PackedFiles(pack, sha)
            files.write(order["folder"], folder / "files", order["room"])
    except DAMAGED as error:
        raise SourceFails("The server sends a damaged pack.") from error
    known, commit = order["known_commit"].encode(), files.commit
    is_rewritten = known not in {b"", commit} and remote.has_lost(sha, known)
    return {"commit": commit.decode(), "rewritten": is_rewritten, "findings": files.findings}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
