"""gunicorn's hooks that export the metrics on a separate address.

The master listens, and a thread of each worker accepts. So the address outlives every worker, and
an address in use stops the start.
"""

import atexit
import os
import shutil
import tempfile
from functools import cache
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, make_server

from django.core.exceptions import ImproperlyConfigured

FOLDER = "PROMETHEUS_MULTIPROC_DIR"


class SilentHandler(WSGIRequestHandler):
    timeout = 5  # seconds; a client that sends nothing must not hold the thread

    def log_message(self, *_):
        pass


@cache
def listener(address):
    try:
        return make_server(*address, None, handler_class=SilentHandler)
    except OSError as error:
        raise ImproperlyConfigured(f"METRICS_ADDRESS cannot be used: {error}.") from error


class Exporter:
    """A reload creates another one for the same address, with the same listener."""

    def __init__(self, address):
        self.address = address

    def on_starting(self, _server):
        listener(self.address)
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="marketplace-metrics-")
        # Even if the start fails later.
        atexit.register(self.remove, os.getpid())

    def post_worker_init(self, _worker):
        from prometheus_client import CollectorRegistry, make_wsgi_app  # noqa: PLC0415
        from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415

        registry = CollectorRegistry()
        MultiProcessCollector(registry)
        listener(self.address).set_app(make_wsgi_app(registry))
        Thread(target=listener(self.address).serve_forever, daemon=True).start()

    def child_exit(self, _server, worker):
        from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415

        mark_process_dead(worker.pid)

    def remove(self, master):
        if os.getpid() == master:
            shutil.rmtree(os.environ[FOLDER], ignore_errors=True)
