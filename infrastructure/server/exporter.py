"""gunicorn's hooks that export the metrics on a separate address.

The master listens, and a thread of each worker accepts. So the address outlives every worker, and
an address in use stops the start.
"""

import atexit
import os
import shutil
import tempfile
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, make_server

from django.core.exceptions import ImproperlyConfigured

FOLDER = "PROMETHEUS_MULTIPROC_DIR"


class SilentHandler(WSGIRequestHandler):
    timeout = 5  # seconds; a client that sends nothing must not hold the thread

    def log_message(self, *_):
        pass


class Exporter:
    """The hooks for an address; None exports nothing.

    Reloads make another exporter, so the arbiter keeps what must outlive them: the listener and the
    folder of the first one. A new address needs a restart.
    """

    def __init__(self, address):
        self.address = address

    def on_starting(self, arbiter):
        arbiter.metrics = None
        if self.address:
            listener, folder = self.listen(), tempfile.mkdtemp(prefix="marketplace-metrics-")
            arbiter.metrics = listener, folder
            # Even if the start fails later.
            atexit.register(remove, folder, os.getpid())

    def listen(self):
        try:
            return make_server(*self.address, None, handler_class=SilentHandler)
        except OSError as error:
            raise ImproperlyConfigured(f"METRICS_ADDRESS cannot be used: {error}.") from error

    def pre_fork(self, arbiter, worker):
        worker.metrics = arbiter.metrics
        if arbiter.metrics:
            _, os.environ[FOLDER] = arbiter.metrics

    def post_worker_init(self, worker):
        if not worker.metrics:
            return
        from prometheus_client import CollectorRegistry, make_wsgi_app  # noqa: PLC0415
        from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415

        listener, _ = worker.metrics
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
        listener.set_app(make_wsgi_app(registry))
        Thread(target=listener.serve_forever, daemon=True).start()

    def child_exit(self, arbiter, worker):
        if arbiter.metrics:
            from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415

            _, folder = arbiter.metrics
            mark_process_dead(worker.pid, folder)


def remove(folder, master):
    if os.getpid() == master:
        shutil.rmtree(folder, ignore_errors=True)
