"""The messages of MCP: JSON-RPC 2.0 over HTTP, of the versions with a handshake and without."""

from base64 import b64decode
from http import HTTPStatus

from django.conf import settings

from marketplace.api.exceptions import BadRequest
from marketplace.secrets import mask

UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL_ERROR = -32601, -32602, -32603
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
# The versions that begin with `initialize`, and the one in which every request says its version.
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"
VERSIONS = (*HANDSHAKE_VERSIONS, MODERN_VERSION)
VERSION_HEADER = "MCP-Protocol-Version"
SERVER = {"name": "agent-marketplace", "title": "Agent marketplace", "version": settings.VERSION}
# A message holds no larger file: it is in memory several times.
MAX_FILE = 1024 * 1024  # bytes
TOO_LARGE = (
    "The file is larger than 1 MiB. Download it over HTTP, from its `url` in list_skill_files"
)
# Keys of `_meta`.
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
# The parameter that the header Mcp-Name repeats.
NAMES = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}


class MCPError(Exception):
    """An error of the protocol: the response to a message.

    Clients of a version with a handshake get it with status 200, others with `status`
    (contract 22.4).
    """

    def __init__(self, code, message, data=None, *, status=HTTPStatus.OK):
        super().__init__(message)
        self.status = status
        self.error = {"code": code, "message": message} | ({"data": data} if data else {})

    def status_for(self, headers):
        has_handshake = headers.get(VERSION_HEADER, VERSIONS[0]) in HANDSHAKE_VERSIONS
        return HTTPStatus.OK if has_handshake else self.status


class BadEnvelope(MCPError):
    """A message contradicts itself, in its headers or in `_meta`."""

    def __init__(self, *error):
        super().__init__(*error, status=HTTPStatus.BAD_REQUEST)


def check_form(message):
    """Raise BadRequest if the object is not a message of JSON-RPC."""
    if "id" in message and type(message["id"]) not in {int, str}:
        raise BadRequest("id must be a string or a whole number")
    if "method" in message:
        has_form = isinstance(message["method"], str)
    else:
        has_form = isinstance(message.get("result", message.get("error")), dict)
    has_params = isinstance(message.get("params"), dict | None)
    if message.get("jsonrpc") != "2.0" or not has_form or not has_params:
        raise BadRequest("Request body must be a JSON-RPC request or notification")


def version_of(headers):
    """The version of a message; the oldest if no header has one. Raises BadEnvelope."""
    version = headers.get(VERSION_HEADER, VERSIONS[0])
    if version not in VERSIONS:
        data = {"supported": VERSIONS, "requested": mask(version)}
        raise BadEnvelope(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    return version


def check_envelope(headers, method, params):
    """Raise MCPError if a request without a handshake does not say what it must, in both places."""
    meta = argument(params, "_meta", dict, BadEnvelope)
    version = argument(meta, VERSION, str, BadEnvelope)
    argument(meta, CAPABILITIES, dict, BadEnvelope)
    repeated = {VERSION_HEADER: version, "Mcp-Method": method}
    if method in NAMES:
        repeated["Mcp-Name"] = argument(params, NAMES[method], str)
    for header, value in repeated.items():
        if decoded(headers.get(header, "")) != value:
            raise BadEnvelope(HEADER_MISMATCH, f"{header} does not match the request body")


def decoded(header):
    """The value of a header: Base64 in `=?base64?…?=`, if it is not ASCII."""
    if not (header.startswith("=?base64?") and header.endswith("?=")):
        return header
    try:
        return b64decode(header[9:-2], validate=True).decode()
    except ValueError:
        return None


def argument(params, name, kind, error=MCPError):
    """The parameter `name`, or None if it may be missing. Raises the error for another type."""
    value = params.get(name)
    if not isinstance(value, kind):
        raise error(INVALID_PARAMS, "Invalid request parameters", {"parameter": name})
    return value
