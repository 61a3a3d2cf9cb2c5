"""gunicorn in a process that is forked from one in which the libraries are imported.

Importing them takes two thirds of a server's start. The project's own modules, and what depends on
Django's settings, are not among them, because the environment decides what they hold.
"""

import atexit
import multiprocessing
import os
import runpy
import subprocess
import sys

from demo.postgres import CHECKOUT

LIBRARIES = [
    *("django.core.handlers.wsgi", "django.db.models", "django.template.backends.django"),
    *("django.contrib.postgres.search", "psycopg.types.json", "gunicorn.app.wsgiapp"),
    *("rest_framework.serializers", "dulwich.objects", "markdown_it", "nh3", "yaml"),
]

GUNICORN = [sys.executable, "-m", "gunicorn"]

forks = multiprocessing.get_context("forkserver")
forks.set_forkserver_preload(LIBRARIES)


class Fork(forks.Process):
    """A gunicorn of this checkout, with the methods of subprocess.Popen that tests use."""

    def __init__(self, command, environment, log):
        super().__init__(target=serve, args=(command[2:], environment, str(log)), daemon=True)
        self.start()

    def poll(self):
        return self.exitcode

    def wait(self, timeout=None):
        self.join(timeout)
        if self.exitcode is None:
            raise subprocess.TimeoutExpired("gunicorn", timeout)
        return self.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)


def serve(arguments, environment, log):
    with open(log, "wb", buffering=0) as output:  # noqa: PTH123
        os.dup2(output.fileno(), sys.stdout.fileno())
        os.dup2(output.fileno(), sys.stderr.fileno())
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(CHECKOUT)
    sys.argv = arguments
    try:
        runpy.run_module("gunicorn", run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()
