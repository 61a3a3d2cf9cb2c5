"""Reloads (SIGHUP): new workers run the code and the variables that are there now.

gunicorn runs its configuration again in the running master, whose modules are those of the release
that started it. New code would meet old modules there, and an error ends the master with all of its
workers. So a server of its own tries the start first (trials.py), and then the master forgets its
modules.

Without a reload, too, a worker may end and another one start, between a checkout and the reload.
Once a worker has served, another one that fails to start does not end the master.
"""

import mmap
import os
import sys
import time
from importlib import invalidate_caches

from infrastructure.server.trials import problem_with_start

RETRY_SECONDS = 5  # between two starts of a worker that fails
# Forgetting the rest takes nothing from the master, which only manages the workers.
KEPT = {*sys.stdlib_module_names, "gunicorn", "__main__"}


def reload(arbiter):
    """Replace the workers. If the server would not start as it is now, the old ones go on."""
    problem = problem_with_start(arbiter, arbiter.cfg.env_orig) or problem_with_reload(arbiter)
    if problem:
        arbiter.log.error("Not reloaded, and the old workers go on: %s", problem)


def problem_with_reload(arbiter):
    """Reload. Returns None, or why that failed: then everything is as it was."""
    before = sys.modules.copy(), os.environ.copy(), arbiter.cfg, arbiter.log
    try:
        replace(os.environ, arbiter.cfg.env_orig)  # without what `.env` has added
        replace(sys.modules, {name: sys.modules[name] for name in sys.modules if is_kept(name)})
        invalidate_caches()
        arbiter.app.reload()
        if arbiter.app.cfg.address != arbiter.cfg.address:
            raise ValueError("PORT or BIND has changed, so restart the server.")  # noqa: TRY301
        replace(os.environ, arbiter.app.cfg.env_orig)  # gunicorn reads the configuration again
        tolerate(arbiter)
        arbiter.app.callable = None  # of --preload
        arbiter.log = None  # so that gunicorn makes one of the new class
        arbiter.reload()
    except (Exception, SystemExit) as error:
        if os.getpid() != arbiter.pid:
            raise  # in a new worker, which ends
        modules, environment, arbiter.app.cfg, arbiter.log = before
        replace(sys.modules, modules)
        replace(os.environ, environment)
        arbiter.setup(arbiter.app)
        return str(error)


def replace(mapping, values):
    """In place: others hold it."""
    mapping.clear()
    mapping.update(values)


def is_kept(name):
    return name.partition(".")[0] in KEPT


def on_starting(arbiter):
    arbiter.has_served = mmap.mmap(-1, 1)  # shared with the workers


def pre_fork(arbiter, worker):
    worker.has_served = arbiter.has_served
    if arbiter.has_served[0]:
        tolerate(arbiter)


class Tolerated(int):
    """An exit status that is unlike any other, so that gunicorn does not end because of it."""

    def __eq__(self, other):
        return False

    __hash__ = int.__hash__


def tolerate(arbiter):
    """Let the master survive a worker that fails to start."""
    arbiter.WORKER_BOOT_ERROR = Tolerated(arbiter.WORKER_BOOT_ERROR)
    arbiter.APP_LOAD_ERROR = Tolerated(arbiter.APP_LOAD_ERROR)


def post_worker_init(worker):
    worker.has_served[0] = 1


def worker_exit(arbiter, worker):
    """Called in the worker that ends."""
    if arbiter.has_served[0] and not worker.booted:
        time.sleep(RETRY_SECONDS)
