"""Compares every response of the suite with the OpenAPI document (called by tests/conftest.py)."""

import re
from functools import cache

import orjson
from jsonschema_rs import Draft202012Validator

from interfaces.openapi.document import document

DOCUMENT = "/api/v1/openapi.json"
ERROR = {"$ref": "#/components/schemas/Error"}


def assert_as_described(method, path, response):
    """Assert that status, required headers and body of a response match the document.

    Outside all operations (an unknown path, another method), a response is an error in JSON.
    """
    if not path.startswith("/api/") or path.rstrip("/") == DOCUMENT:
        return
    exchange = f"{method} {path}: {response.status_code}"
    operation = operation_of("GET" if method == "HEAD" else method, path)
    if operation is None:
        assert response.status_code >= 400, f"{exchange}, of which the document knows nothing"
        assert response.status_code != 405 or "Allow" in response.headers, (
            f"{exchange} without Allow"
        )
        described = {"content": {"application/json": {"schema": ERROR}}}
    else:
        described = operation["responses"].get(str(response.status_code))
        assert described, f"{exchange}, which {operation['operationId']} does not describe"
    missing = required_headers(described) - {name.lower() for name in response.headers}
    assert not missing, f"{exchange} without {missing}"
    if method == "HEAD" or "content" not in described:
        assert response.content == b"", f"{exchange} with a body"
    else:
        assert_body(exchange, response, described["content"])


def assert_body(exchange, response, content):
    media_type = response.headers["Content-Type"].partition(";")[0]
    assert media_type in content, f"{exchange} as {media_type}"
    is_json = media_type == "application/json"
    # A file may hold any bytes, and Latin-1 decodes each.
    body = orjson.loads(response.content) if is_json else response.content.decode("latin-1")
    error = next(validator(content[media_type]["schema"]["$ref"]).iter_errors(body), None)
    assert error is None, f"{exchange}: {error}"


def operation_of(method, path):
    for pattern, methods in routes():
        if pattern.fullmatch(path):
            return methods.get(method.lower())
    return None


@cache
def routes():
    return [
        (re.compile(re.sub(r"\\{\w+\\}", "[^/]+", pattern_of(path)) + "/?"), methods)
        for path, methods in document()["paths"].items()
    ]


def pattern_of(path):
    """The path as a pattern; the one parameter that may contain slashes is filled in."""
    return re.escape(path).replace(r"\{path\}", ".+")


def required_headers(described):
    headers = {name: resolved(header) for name, header in described.get("headers", {}).items()}
    return {name.lower() for name, header in headers.items() if header["required"]}


def resolved(part):
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    return document()["components"][kind][name]


@cache
def validator(ref):
    """Compiled once per kind of body."""
    schema = {"$ref": ref, "components": document()["components"]}
    return Draft202012Validator(schema, validate_formats=True)
