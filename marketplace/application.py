"""The WSGI application: Django behind the response cache, given only requests that it can read."""

import io
import re

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import WSGIHandler, get_path_info
from django.core.signals import request_finished
from django.utils.http import parse_header_parameters

from infrastructure.handler import Handler
from infrastructure.http_cache.store import fresh_response
from infrastructure.server.gunicorn_internals import end_connection
from infrastructure.server.request_ids import HEADER, new_id, request_id
from infrastructure.server.sizes import MAX_BODY, TOO_LARGE, max_body
from infrastructure.server.uploads import BodyAwaited
from marketplace.middleware.pages import drop_unknown_parameters
from marketplace.secrets import mask

READABLE = re.compile(r"(utf-?8)?", re.IGNORECASE | re.ASCII)  # charsets
ACCEPTED_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
BOUNDARY = re.compile(r"[ -~]{0,69}[!-~]")  # RFC 2046, 5.1.1, or Django refuses it


class Application:
    """Everything that a request passes before and after Django."""

    def __init__(self):
        self.django = WSGIHandler() if settings.PLAIN else Handler()

    def __call__(self, environ, start_response):
        header = HEADER, begin_request(environ)

        def start_with_id(status, headers, *exc_info):
            # Added last, because many requests share a cached response.
            return start_response(status, [*headers, header], *exc_info)

        measure_chunked_body(environ)
        refuse_long_body(environ)
        drop_unknown_parameters(environ, get_path_info(environ))
        fresh = None if settings.PLAIN else fresh_response(environ)
        if fresh is not None:
            return fresh.to_wsgi(environ, start_with_id)
        blank_unreadable_content_type(environ)
        try:
            response = self.django(environ, start_with_id)
        except BodyAwaited:
            request_finished.send(sender=type(self))  # The connection to the database is free.
            raise
        if environ["REQUEST_METHOD"] != "HEAD":
            return response
        # Django leaves it to the server to drop the body, but gunicorn logs a warning when it does.
        response.close()
        return []


def begin_request(environ):
    """Set the ID of the request, and return it: the client's if it is acceptable, or a new one."""
    client_id = environ.get("HTTP_X_REQUEST_ID", "")
    # An ID that may be a misplaced token is not repeated.
    is_accepted = ACCEPTED_ID.fullmatch(client_id) and mask(client_id) == client_id
    request_id.set(client_id if is_accepted else new_id())
    return request_id.get()


def measure_chunked_body(environ):
    """Buffer a chunked body: without a Content-Length, Django reads it as empty."""
    # The server refuses every request whose last transfer coding is another one.
    if "HTTP_TRANSFER_ENCODING" in environ:
        chunks = environ["wsgi.input"]
        body = chunks.read(MAX_BODY + 1)
        environ["wsgi.input"] = io.BytesIO(body)
        if len(body) > MAX_BODY:
            # The rest of the body is unread, and must not be parsed as the next request.
            end_connection(chunks)
            environ["wsgi.input"] = TooLong()
        environ["CONTENT_LENGTH"] = str(len(body))


def refuse_long_body(environ):
    """Keep everything from reading a body that the server did not wait for."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > max_body(environ["PATH_INFO"]):
        environ["wsgi.input"] = TooLong()


class TooLong(io.RawIOBase):
    """The body of a request that is too long."""

    def read(self, _size=-1):
        raise RequestDataTooBig(TOO_LARGE)


def blank_unreadable_content_type(environ):
    """Replace a Content-Type whose form Django cannot read, or which it cannot parse.

    Django parses it before any middleware. Looking up a charset raises for a NUL, and Python caches
    every unknown name. A form is parsed again for the page of its own error.
    """
    try:
        kind, parameters = parse_header_parameters(environ.get("CONTENT_TYPE", ""))
        is_readable = READABLE.fullmatch(parameters.get("charset", "")) and (
            not kind.startswith("multipart/") or BOUNDARY.fullmatch(parameters.get("boundary", ""))
        )
    except (ValueError, TypeError):
        is_readable = False
    if not is_readable:
        environ["CONTENT_TYPE"] = "unreadable"
