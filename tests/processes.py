"""Processes of this machine (Linux), to check that a stopped program leaves none."""

import time
from operator import attrgetter
from pathlib import Path

import psutil


def processes_with(text):
    """The processes whose command line, working folder or environment contains the text."""
    needle = str(text).encode()
    return [pid for pid in all_pids() if needle in description(pid)]


def all_pids():
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def workers_of(server):
    """The processes that a gunicorn has started, the oldest first."""
    return sorted(psutil.Process(server.process.pid).children(), key=attrgetter("pid"))


def description(pid):
    process = Path("/proc") / str(pid)
    try:
        texts = [(process / name).read_bytes() for name in ("cmdline", "environ")]
        return b"\n".join([*texts, str((process / "cwd").readlink()).encode()])
    except OSError:  # it has ended meanwhile, is a zombie, or belongs to another user
        return b""


def is_within(seconds, condition):
    """Whether the condition comes true within the seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())
