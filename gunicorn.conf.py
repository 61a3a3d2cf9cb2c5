"""gunicorn reads this file by itself; the environment decides what it may."""

import json
import re
import sys
from http import HTTPStatus
from pathlib import Path

from gunicorn import glogging, util

sys.path.insert(0, str(Path(__file__).parent))

from marketplace import environment, logging

bind = f"0.0.0.0:{environment.whole_number('PORT', default=8000, low=1, high=65535)}"
workers = environment.whole_number("WEB_CONCURRENCY", default=2, low=1, high=1000)
worker_class = "marketplace.server.worker.Worker" if sys.platform == "linux" else "gthread"
threads = environment.whole_number("WEB_THREADS", default=4, low=1, high=64)

timeout = 30
graceful_timeout = 20
# Longer than a router keeps its own idle connections, so that the router closes first.
keepalive = 75
max_requests = 100_000
max_requests_jitter = 10_000

# Only Django decides which forwarded headers to believe (TRUSTED_PROXY_COUNT); with gunicorn's
# defaults any client on the same machine could claim to speak HTTPS or set SCRIPT_NAME.
forwarded_allow_ips = ""
secure_scheme_headers = {}
forwarder_headers = ""
control_socket_disable = True

logconfig_dict = logging.CONFIG
HAS_ACCESS_LOG = environment.boolean("ACCESS_LOG", default=False)


class Log(glogging.Logger):
    """A line for each request: who, what, the status, the bytes of the body, the milliseconds."""

    def access(self, resp, req, environ, request_time):
        if not HAS_ACCESS_LOG:
            return
        # The path as it was sent, which is one line, and without its query. gunicorn's own way
        # knows it decoded alone, and collects all headers first: twice the time.
        path = environ["RAW_URI"].partition("?")[0]
        self.access_log.info(
            '%s "%s %s" %s %s %dms',
            *(environ["REMOTE_ADDR"], environ["REQUEST_METHOD"], path),
            *(resp.status[:3], resp.sent, request_time.total_seconds() * 1000),
        )


logger_class = Log


def write_json_error(sock, status_int, reason, mesg):
    """gunicorn answers a request that it cannot read before any application sees it: in JSON."""
    text = logging.mask(re.sub(r"[^ -~]+", " ", mesg or reason).strip())
    body = json.dumps({"error": text})
    # HTTP has 501 for a transfer coding that nobody knows. The mistake is the client's all the
    # same, and 500 and above say that trying again may help.
    status = HTTPStatus.BAD_REQUEST if status_int == 501 else HTTPStatus(status_int)
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    util.write_nonblock(sock, (head + body).encode("ascii"))


util.write_error = write_json_error
