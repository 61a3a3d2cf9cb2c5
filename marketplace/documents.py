"""Small documents of other servers that staff have named, fetched within bounds.

A web process fetches and posts nothing else. Neither a proxy nor a redirect leads a request
elsewhere.
"""

import time
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BytesIO
from threading import Lock, Thread
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.views.decorators.debug import sensitive_variables

from marketplace.addresses import checked
from marketplace.api.exceptions import BadRequest
from marketplace.api.parsers import parsed

MAX_BYTES = 256 * 1024  # of a response, with its head
SECONDS = 3  # for all documents of one call
PIECE = 64 * 1024
MAX_QUOTED = 200  # characters of an error

# Held while a request waits for a server, so that slow servers keep one request waiting at most.
turn = Lock()
# The last thread for each server. One that waits for the resolver of names outlives its request.
threads = {}


class Unreachable(Exception):
    """The reason why a document could not be fetched."""


class Busy(Unreachable):
    """Another request to this process is waiting for a document."""


def within_bounds(may_begin, fetch, server):
    """The result of `fetch(server, deadline)`, which reads documents with `fetch_json`.

    None if `may_begin()` is false once it is this request's turn. Raises Busy, or Unreachable after
    SECONDS at the latest.
    """
    if not turn.acquire(blocking=False):
        raise Busy("another document is being fetched")
    try:
        return in_thread(fetch, server) if may_begin() else None
    finally:
        turn.release()


def in_thread(fetch, server):
    # Nothing but a thread of its own bounds the time that the resolver of names takes.
    if server in threads and threads[server].is_alive():
        raise Unreachable("the fetch before has not ended")
    outcome, deadline = {}, time.monotonic() + SECONDS
    thread = Thread(target=store_outcome, args=[outcome, fetch, server, deadline], daemon=True)
    threads[server] = thread
    thread.start()
    thread.join(SECONDS)
    if "result" in outcome:
        return outcome["result"]
    raise Unreachable(outcome.get("error", f"no answer within {SECONDS} seconds"))


def store_outcome(outcome, fetch, server, deadline):
    try:
        outcome["result"] = fetch(server, deadline)
    except Unreachable as error:
        outcome["error"] = str(error)
    except (OSError, HTTPException, ValueError, OverflowError) as error:
        # Some quote a whole line of the server.
        outcome["error"] = f"{type(error).__name__}: {str(error)[:MAX_QUOTED]!r}"


def fetch_json(server, path, deadline):
    """The JSON object at a path of a server, whose address is checked. Raises Unreachable."""
    response = answer_of(server, path, deadline)
    if response.status != 200:
        raise Unreachable(f"{path} answers {response.status}")
    return json_object_of(response, path)


@sensitive_variables()
def post_form(server, deadline, *, path, form, headers):
    """The status and the JSON object with which a server answers a form. Raises Unreachable.

    `form` is encoded already.
    """
    response = answer_of(server, path, deadline, ("POST", form, headers))
    return response.status, json_object_of(response, path)


def json_object_of(response, path):
    try:
        document = parsed(response.read())
    except BadRequest as error:
        raise Unreachable(f"{path} answers {response.status}, and no valid JSON") from error
    if not isinstance(document, dict):
        raise Unreachable(f"{path} answers {response.status}, and no JSON object")
    return document


@sensitive_variables("request")
def answer_of(server, path, deadline, request=None):
    """The response to a request: a method, a body and headers; by default to a GET."""
    try:
        checked(server)
    except ValidationError as error:
        raise Unreachable(error.message) from error
    parts = urlsplit(server)
    connection_class = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = connection_class(parts.hostname, parts.port, timeout=seconds_to(deadline))
    method, body, headers = request or ("GET", None, {})
    try:
        headers = {**headers, "Accept": "application/json", "Connection": "close"}
        connection.request(method, path, body, headers)
        response = HTTPResponse(Received(whole_answer(connection.sock, deadline)))
    finally:
        connection.close()
    response.begin()
    return response


def whole_answer(connected, deadline):
    """All bytes until the server ends the connection, however slowly they come."""
    received = b""
    while True:
        connected.settimeout(seconds_to(deadline))
        piece = connected.recv(PIECE)
        if not piece:
            return received
        received += piece
        if len(received) > MAX_BYTES:
            raise Unreachable(f"its answer is longer than {MAX_BYTES:,} bytes")


def seconds_to(deadline):
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise Unreachable(f"no answer within {SECONDS} seconds")
    return seconds


class Received(BytesIO):
    """Bytes in place of the connection that http.client reads a response from."""

    def makefile(self, _mode):
        return self
