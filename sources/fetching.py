"""Fetching a source: one commit of its ref, as files in a temporary folder (contract 30).

dulwich reads what the server sends, and not git, because the image has no git, and git would run
hooks, filters and helpers that a configuration names. The requests are made without dulwich's
client (sources/remote.py). All of it happens in a child process with bounds: hostile bytes reach
neither the database nor any secret but the token that the server gets anyway.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ValidationError

from sources.allowed import check_url, validate_token_variable
from sources.exceptions import RefIsGone, SourceFails

SECONDS = 300
MEMORY = 512 * 2**20  # bytes
ROOM = 200 * 2**20  # bytes that are received, and bytes of the files
PREFIX = "marketplace-source-"
LEFT_OVER = 3600  # seconds
# The certificates that a company trusts, and nothing else of the environment.
PASSED_ON = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@dataclass
class Fetched:
    """A commit of a source's ref. `folder` has its regular files, below their whole paths.

    `rewritten` is whether the server says that the known commit is not in the history of this one;
    it may say nothing. `findings` are `(path, sentence)` of the files that are left out. Without
    the ref, there is no folder, and the commit is the known one.
    """

    commit: str  # 40 hexadecimal digits
    rewritten: bool = False
    folder: Path | None = None
    findings: list = field(default_factory=list)


@contextmanager
def fetched(source, known_commit=""):
    """Fetch the source's ref into a temporary folder, as Fetched. Raises SourceFails."""
    remove_leftovers()
    order = order_of(source, known_commit)
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        folder = Path(name)
        result = run_child(order, folder)
        yield Fetched(
            result["commit"],
            result["rewritten"],
            folder / "files",
            [tuple(finding) for finding in result["findings"]],
        )


def order_of(source, known_commit):
    try:
        check_url(source.url)
        token = token_of(source.token_variable)
    except ValidationError as error:
        raise SourceFails(error.message) from error
    return {
        "url": source.url,
        "ref": source.ref,
        "folder": source.folder,
        "token": token,
        "known_commit": known_commit,
        "seconds": SECONDS,
        "memory": MEMORY,
        "room": ROOM,
    }


def token_of(variable):
    """The token in a variable of the environment; "" without one. Raises ValidationError."""
    if not variable:
        return ""
    validate_token_variable(variable)
    token = os.environ.get(variable, "").strip()
    if not token:
        raise ValidationError(f"{variable} is not set where sync_sources runs.")
    return token


def run_child(order, folder):
    """Run the child on an order; returns its result. The child has ended, however this ends."""
    child = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "sources.fetch_child", str(folder)],
        stdin=subprocess.PIPE,
        cwd=settings.BASE_DIR,
        env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
        start_new_session=True,
    )
    try:
        child.communicate(json.dumps(order).encode(), timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise SourceFails(f"Fetching takes more than {SECONDS} seconds.") from error
    finally:
        child.kill()
        child.wait()
    return result_of(child, folder / "result.json")


def result_of(child, path):
    if child.returncode:
        raise SourceFails("Reading the repository failed; the log of sync_sources says more.")
    result = json.loads(path.read_text())
    if reason := result.get("reason"):
        raise (RefIsGone if result["is_gone"] else SourceFails)(reason)
    return result


def remove_leftovers():
    """Delete the folders of runs that were killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if time.time() - path.lstat().st_mtime > LEFT_OVER:
            shutil.rmtree(path, ignore_errors=True)
