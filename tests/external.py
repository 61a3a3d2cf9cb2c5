"""External programs from PyPI and npm that tests run; uv and npm cache them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def tried(folder, *command):
    """The finished process, whatever its status."""
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )


def run(folder, *command):
    done = tried(folder, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_or_skip(folder, *command):
    """Run a command that fetches a tool; skip the test if the registry cannot be reached."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"needs {command[0]}")
    try:
        run(folder, *command)
    except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{command[0]} cannot fetch it: {error}")


def fetched(package, folder):
    """A command that runs programs of a PyPI package, outside the project's environment."""
    uv = Path(sys.executable).with_name("uv")
    command = [str(uv), "run", "--quiet", "--no-project", "--with", package]
    run_or_skip(folder, *command, "python", "-c", "")
    return command
