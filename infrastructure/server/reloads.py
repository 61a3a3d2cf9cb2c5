"""Reloads (SIGHUP): new workers run the code and the variables that are there now.

gunicorn runs its configuration again in the running master, whose modules are those of the release
that started it. New code would meet old modules there, and an error ends the master with all of its
workers. So a process of its own tries the start first, and then the master forgets its modules.
"""

import os
import subprocess
import sys
from importlib import invalidate_caches
from importlib.metadata import version

import gunicorn

TRIAL_SECONDS = 60
# Forgetting the rest takes nothing from the master, which only manages the workers.
KEPT = {*sys.stdlib_module_names, "gunicorn", "__main__"}


def reload(arbiter):
    """Replace the workers. If the server would not start as it is now, the old ones go on."""
    environment = arbiter.cfg.env_orig  # without what `.env` has added
    if problem := problem_with_start(environment):
        arbiter.log.error("Not reloaded, and the old workers go on: %s", problem)
        return
    forget_modules()
    os.environ.clear()
    os.environ.update(environment)
    arbiter.log = None  # so that gunicorn makes one of the new class
    arbiter.reload()


def problem_with_start(environment):
    """Why a server would not start now; empty if it would."""
    if version("gunicorn") != gunicorn.__version__:
        return "gunicorn's version has changed, so restart the server."
    command = [sys.executable, "-m", "gunicorn", *sys.argv[1:], "--check-config"]
    try:
        trial = subprocess.run(  # noqa: S603
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the trial of the start failed: {error}"
    return trial.returncode and (trial.stderr.strip() or f"exit status {trial.returncode}")


def forget_modules():
    for name in [*sys.modules]:
        if name.partition(".")[0] not in KEPT:
            del sys.modules[name]
    invalidate_caches()
