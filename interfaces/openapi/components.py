"""The body of an error, and the headers, which all operations share."""

from drf_spectacular.utils import extend_schema_serializer

from marketplace.api.fields import TextField
from marketplace.api.serializers import ResponseSerializer

TEXT = {"type": "string"}


@extend_schema_serializer(
    description="The body of every response with a status of 400 or above: one sentence."
)
class ErrorSerializer(ResponseSerializer):
    error = TextField()


def header(description, schema):
    return {"description": description, "required": True, "schema": schema}


HEADERS = {
    "ETag": header("Identifies this response. Send it back as `If-None-Match`.", TEXT),
    "Cache-Control": header("Whether and how long the response may be cached.", TEXT),
    "Accept-Ranges": header("`bytes`: send `Range` to read a part.", TEXT),
    "Content-Range": header(
        "First byte, last byte, size: `bytes 0-99/1534`. A 416 has only the size: `bytes */1534`.",
        TEXT,
    ),
    "RateLimit": header(
        'What is left: `"install";r=17;t=1284` means 17 requests, and the full limit '
        "again in 1284 seconds.",
        TEXT,
    ),
    "RateLimit-Policy": header(
        'The limit: `"install";q=20;w=3600` means 20 requests in 3600 seconds.', TEXT
    ),
    "Retry-After": header(
        "The number of seconds to wait before you repeat the request.",
        {"type": "integer", "minimum": 1},
    ),
    "WWW-Authenticate": header("The problem with the token (RFC 6750).", TEXT),
}
