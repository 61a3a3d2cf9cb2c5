"""A real Redis for tests, if redis-server is installed."""

import shutil
import subprocess
from contextlib import contextmanager

import pytest

from tests.live import free_port


@contextmanager
def redis_server(folder, *options):
    """The URL of a separate Redis: `redis_server(tmp_path, "--maxmemory", "1")`."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    port = free_port()
    command = [program, "--port", str(port), "--save", "", "--dir", folder, *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()
