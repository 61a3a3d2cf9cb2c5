"""The trial of a release: a server of its own, with one worker, on a socket of its own."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from importlib.metadata import version
from tempfile import TemporaryFile
from time import monotonic

import gunicorn

MAX_SECONDS = 60
MAX_TEXT = 4000  # characters of what a trial prints
ENDS = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT}


def problem_with_start(arbiter, environment):
    """Why a server would not start now; None if it would."""
    try:
        if version("gunicorn") != gunicorn.__version__:
            return "gunicorn's version has changed, so restart the server."
        with socket.create_server(("127.0.0.1", 0)) as listener, TemporaryFile("w+b") as output:
            process = begin(arbiter, environment, listener, output)
            try:
                return problem_with(arbiter, process, listener.getsockname()[1], output)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
    except Exception as error:  # noqa: BLE001  # such as a package that is being installed
        return f"the trial of the start failed: {error!r}"


def begin(arbiter, environment, listener, output):
    """Start the server. It takes the socket over, as from an older master of gunicorn."""
    descriptor = listener.fileno()
    handed_over = {"GUNICORN_PID": str(os.getpid()), "GUNICORN_FD": str(descriptor)}
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "gunicorn", *sys.argv[1:], "--workers", "1"],
        # The address of the metrics is taken.
        env={**environment, **handed_over, "METRICS_ADDRESS": ""},
        cwd=arbiter.cfg.chdir,
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


def problem_with(arbiter, process, port, output):
    """Wait for the trial, while the master goes on managing its workers."""
    deadline, signals = monotonic() + MAX_SECONDS, []
    try:
        while not ENDS.intersection(signals):
            signals += arbiter.wait_for_signals(timeout=0.1)
            arbiter.reap_workers()
            arbiter.murder_workers()
            arbiter.manage_workers()
            if responds(port):
                return None
            if process.poll() is not None:
                return text_of(output)
            if monotonic() > deadline:
                return f"the trial of the start did not respond in {MAX_SECONDS} seconds."
        return "the server is stopping."
    finally:
        for number in signals:
            if number != signal.SIGCHLD:
                arbiter.SIG_QUEUE.put_nowait(number)


def responds(port):
    link = HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        link.request("GET", "/healthz")
        return link.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        link.close()


def text_of(output):
    output.seek(0)
    text = output.read().decode(errors="replace").strip()
    return text[-MAX_TEXT:] or "the trial of the start ended without a word."
