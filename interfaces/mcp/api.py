"""The API, called from within: a tool's call is a request like any other."""

import io
import json
from functools import cache
from urllib.parse import urlencode

from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest


@cache
def handler():
    """All of Django's middleware and views; answers every error of theirs as `{"error": …}`."""
    handler = BaseHandler()
    handler.load_middleware()
    return handler


def ask(caller, method, path, *, query=(), body=None):
    """The answer to a request that the caller of another one could have made itself.

    Address, host, scheme and token are those of `caller`, so its rights and limits are too.
    """
    content = b"" if body is None else json.dumps(body).encode()
    environ = {
        **caller.META,
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": urlencode(query),
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(content)),
        "wsgi.input": io.BytesIO(content),
        # What the caller has seen of /mcp says nothing about this answer.
        "HTTP_IF_NONE_MATCH": "",
    }
    return handler().get_response(WSGIRequest(environ))
