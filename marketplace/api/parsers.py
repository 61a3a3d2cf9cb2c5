"""Request bodies: strict, bounded, and one clear sentence on failure (contract 2)."""

import json
import math
from email.message import Message

from django.core.exceptions import RequestDataTooBig
from django.http import UnreadablePostError
from rest_framework.parsers import BaseParser

from infrastructure.server.sizes import MAX_BODY, max_body
from marketplace.api.exceptions import (
    BadRequest,
    BodyTooLarge,
    NotAnObject,
    NotJson,
    UnsupportedContentType,
)


class StrictJSONParser(BaseParser):
    """A JSON object. Raises 415, 413 or 400, in this order (contract 3.2)."""

    media_type = "application/json"
    may_be_empty = False
    file_types = ()  # the media types of files that it also reads

    def parse(self, stream, media_type=None, parser_context=None):
        request = parser_context["request"]
        length = int(request.META.get("CONTENT_LENGTH") or 0)
        self.check_content_type(media_type, length)
        body = self.read(request)
        if self.may_be_empty and not body.strip():
            return {}
        data = parsed(body)
        if not isinstance(data, dict):
            raise NotAnObject
        return data

    def check_content_type(self, content_type, length):
        """A body must be declared as JSON. Without a body, Content-Type may be absent."""
        is_empty = not length and (self.may_be_empty or not content_type)
        if not is_empty and not _is_json(content_type):
            raise UnsupportedContentType

    def read(self, request, most=MAX_BODY):
        """The whole body. Raises BodyTooLarge, or BadRequest where it cannot be read."""
        length = stated_length(request, most)
        try:
            body = request.body
        except RequestDataTooBig as error:  # in chunks, whose length no header states
            raise BodyTooLarge from error
        except UnreadablePostError as error:
            raise BadRequest("Request body could not be read") from error
        if len(body) < length:
            raise BadRequest("Request body is shorter than its Content-Length")
        return body


class OptionalJSONParser(StrictJSONParser):
    """The same, and an empty body is `{}`, whatever its Content-Type."""

    may_be_empty = True


def stated_length(request, most):
    """The length of the body that the request states. Raises BodyTooLarge."""
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if length > most:
        raise BodyTooLarge
    return length


def longest_body(request):
    """The bytes of a body that the web server accepts at this address."""
    return max_body(request.META["PATH_INFO"])


def refuse_unstorable(text, where):
    """NUL and lone surrogates, which PostgreSQL or UTF-8 cannot store."""
    if "\0" in text:
        raise BadRequest(f"{where} must not contain NUL characters")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadRequest(f"{where} must not contain lone surrogates") from error


def _is_json(content_type):
    if content_type == "application/json":
        return True  # without the e-mail parser, which takes longer than most bodies
    message = Message()
    message["Content-Type"] = content_type
    charset = message.get_param("charset", "utf-8")
    return (
        content_type.split(";")[0].strip(" \t").lower() == "application/json"
        and isinstance(charset, str)
        and charset.strip("\"'").lower() in {"utf-8", "utf8"}
    )


def parsed(body):
    """The value of strict JSON. Raises NotJson, or BadRequest for what 2.7 refuses."""
    try:
        data = _decoder.decode(body.decode())
    # Deep nesting exceeds the parser's recursion, thousands of digits its number conversion.
    # Both are unusable JSON.
    except (ValueError, RecursionError) as error:
        raise NotJson from error
    _refuse_unstorable_strings(data)
    return data


def _object(pairs):
    data = {}
    for key, value in pairs:
        if key in data:
            raise BadRequest(f"Request body has the key {json.dumps(key)} more than once")
        data[key] = value
    return data


def _number(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("out of range")
    return number


def _no_constant(_name):
    raise ValueError("NaN and Infinity are not JSON")


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_constant=_no_constant
)


def _refuse_unstorable_strings(data):
    stack = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            refuse_unstorable(value, "Request body")
        elif isinstance(value, dict):
            stack.extend(value)
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
