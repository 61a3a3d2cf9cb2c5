"""External programs from PyPI and npm that tests run; uv and pytest's cache keep them."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NODE = "node@22"


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


def npm_folder(config, *packages):
    """A folder in pytest's cache with packages of npm, which are installed there once.

    The newest version of a package (`name@latest`) is looked for in each run.
    """
    folder = config.cache.mkdir("npm-" + re.sub(r"[^\w@.-]", "-", " ".join(packages)))
    installed = folder / "installed"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Another process of the suite may need them, too.
        if not installed.exists() or any(name.endswith("@latest") for name in packages):
            options = ["--prefix", ".", "--prefer-offline", "--no-audit", "--no-fund"]
            run_or_skip(folder, "npm", "install", *options, *packages)
            installed.touch()
    return folder


def npm_program(config, package, program):
    """A command that runs a program of a package, on a Node.js that is new enough for all of them.

    npx would ask the registry each time.
    """
    folders = [npm_folder(config, name) / "node_modules/.bin" for name in (package, NODE)]
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    return ["env", f"PATH={path}", str(folders[0] / program)]


def fetched(package, folder):
    """A command that runs programs of a PyPI package, outside the project's environment."""
    uv = Path(sys.executable).with_name("uv")
    command = [str(uv), "run", "--quiet", "--no-project", "--with", package]
    run_or_skip(folder, *command, "python", "-c", "")
    return command
