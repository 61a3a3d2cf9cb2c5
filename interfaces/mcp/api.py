"""Calls the API within the process: a tool's call is a request like any other."""

import io
import json
from functools import cache
from urllib.parse import unquote_to_bytes, urlencode

from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest


@cache
def handler():
    """Django's views with all their middleware, which turns every error into `{"error": …}`."""
    handler = BaseHandler()
    handler.load_middleware()
    return handler


def call_api(caller, method, path, *, query=(), body=None):
    """The response to a request with the address, host, scheme and token of the request `caller`.

    So it has the caller's rights and counts against the caller's limits.
    """
    content = b"" if body is None else json.dumps(body).encode()
    environ = {
        **caller.META,
        "REQUEST_METHOD": method,
        # As a server passes it on (PEP 3333).
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": urlencode(query),
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(content)),
        "wsgi.input": io.BytesIO(content),
        # A validator or a range that the caller sends is meant for /mcp.
        "HTTP_IF_NONE_MATCH": "",
        "HTTP_RANGE": "",
    }
    return handler().get_response(WSGIRequest(environ))
