"""gunicorn's configuration, which it finds by this name; the environment sets what varies."""

import json
import re
import resource
import runpy
import sys
from http import HTTPStatus
from logging import getLogger
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

sys.path.insert(0, str(Path(__file__).parent))

from infrastructure.server import gunicorn_internals, headers, reloads, request_ids
from infrastructure.server.exporter import Exporter
from infrastructure.server.requests import Request
from marketplace import environment, logging

try:
    environment.read_file()
    # The workers read the settings anew. Here they are only tried, so that a wrong variable ends
    # the start before any worker begins.
    runpy.run_path(str(Path(__file__).with_name("marketplace") / "settings.py"))
    environment.startup_options()
    # All addresses by default: the router of a PaaS, or of containers, is on another machine.
    address = environment.matching(
        "BIND",
        r"(?!unix$)[A-Za-z0-9_.-]+|\[[0-9a-fA-F:.]+\]",
        default="0.0.0.0",  # noqa: S104  # nosec B104
        meaning="an address without a port, such as 127.0.0.1",
    )
    port = environment.whole_number("PORT", default=8000, low=1, high=65535)
    workers = environment.whole_number("WEB_CONCURRENCY", default=2, low=1, high=1000)
    is_plain = environment.boolean("PLAIN", default=False)
    # The project's own needs epoll.
    has_own_worker = sys.platform == "linux" and not is_plain
    worker_class = environment.text(
        "WORKER_CLASS", "infrastructure.server.worker.Worker" if has_own_worker else "gthread"
    )
    threads = environment.whole_number("WEB_THREADS", default=4, low=1, high=64)
    request_timeout = environment.whole_number("REQUEST_TIMEOUT", default=15, low=1, high=600)
    metrics_address = environment.address("METRICS_ADDRESS")
    HAS_ACCESS_LOG = environment.boolean("ACCESS_LOG", default=False)
    logconfig_dict = logging.config()
except ImproperlyConfigured as error:
    sys.exit(str(error))  # gunicorn would print a traceback
bind = f"{address}:{port}"

# A connection takes two descriptors while a file is sent. Threads, pools and logs take the rest.
MAX_CONNECTIONS, OTHER_DESCRIPTORS = 10_000, 200
descriptors = 2 * MAX_CONNECTIONS + OTHER_DESCRIPTORS
soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
if soft_limit < descriptors and soft_limit != resource.RLIM_INFINITY:
    if hard_limit != resource.RLIM_INFINITY:
        descriptors = min(descriptors, hard_limit)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, hard_limit))
    except ValueError:  # macOS enforces a lower limit than the hard one.
        descriptors = soft_limit
worker_connections = max(descriptors - OTHER_DESCRIPTORS, 40) // 2

timeout = 30
graceful_timeout = 20
# Longer than a router keeps its own idle connections, so that the router closes first.
keepalive = 75
max_requests = 100_000
max_requests_jitter = 10_000

# Django alone decides which forwarded headers to trust (TRUSTED_PROXY_COUNT). With gunicorn's
# defaults, any client on the same machine could claim HTTPS or set SCRIPT_NAME.
forwarded_allow_ips = ""
secure_scheme_headers = {}
forwarder_headers = ""
control_socket_disable = True
# The C parser, which gunicorn uses if gunicorn_h1c is installed, accepts lines that end in a bare
# LF and folded headers, which a proxy in front may read differently.
http_parser = "python"

exporter = Exporter(metrics_address)
child_exit, worker_exit = exporter.child_exit, reloads.worker_exit


def on_starting(arbiter):
    exporter.on_starting(arbiter)
    reloads.on_starting(arbiter)


def pre_fork(arbiter, worker):
    exporter.pre_fork(arbiter, worker)
    reloads.pre_fork(arbiter, worker)


def when_ready(arbiter):
    if headers.is_python_slow():
        arbiter.log.warning(headers.WARNING)


def post_worker_init(worker):
    worker.request_timeout = request_timeout  # gunicorn has no such setting
    exporter.post_worker_init(worker)
    reloads.post_worker_init(worker)


# Paths that pages and routers request again and again. They would bury the rest of the log.
NOT_LOGGED = re.compile(r"/static/.*|/(?:healthz|readyz)/*|/favicon\.ico")


class Log(gunicorn_internals.BaseLog):
    """A line for each request of a page or the API.

    It has address, request, status, bytes of the body, milliseconds.
    """

    def log_request(self, environ, target, status, size, duration):
        # The path as sent, without its query. gunicorn's own formatter decodes it, so that it may
        # span lines, and collects all headers first.
        path = target.partition("?")[0]
        if not HAS_ACCESS_LOG or NOT_LOGGED.fullmatch(path):
            return
        getLogger("gunicorn.access").info(
            '%(address)s "%(method)s %(path)s" %(status)d %(bytes)d %(milliseconds)dms',
            {
                "address": environ["REMOTE_ADDR"],
                "method": environ["REQUEST_METHOD"],
                "path": path,
                "status": status,
                "bytes": size,
                "milliseconds": round(duration.total_seconds() * 1000, 1),
            },
        )


logger_class = Log


def write_json_error(sock, status_int, reason, mesg):
    """The JSON response to a request that gunicorn cannot parse, which no application sees."""
    text = logging.mask(re.sub(r"[^ -~]+", " ", mesg or reason).strip())
    body = json.dumps({"error": text})
    # gunicorn sends 501 for an unknown transfer coding. But it is the client's mistake, and a
    # status of 500 and above would suggest that a retry may help.
    status = HTTPStatus.BAD_REQUEST if status_int == 501 else HTTPStatus(status_int)
    # Not in the master: until the hooks have run, a metric does nothing.
    from infrastructure.metrics import count_unreadable_request  # noqa: PLC0415

    count_unreadable_request(status.value)
    retry = "Retry-After: 2\r\n" if status >= 500 else ""
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"Cache-Control: no-store\r\n{retry}"
        f"{request_ids.HEADER}: {request_ids.current_request_id()}\r\n\r\n"
    )
    sock.sendall((head + body).encode("ascii"))


gunicorn_internals.replace(Request, write_json_error, reloads.reload)
