from urllib.parse import parse_qsl

from marketplace.api.exceptions import BadRequest, UnsupportedContentType
from marketplace.api.parsers import StrictJSONParser, refuse_unstorable

MEDIA_TYPE = "application/x-www-form-urlencoded"
MAX_FIELDS = 100
REPEATABLE = {"resource"}  # RFC 8707


class FormParser(StrictJSONParser):
    """A form as `{name: [values]}`, as strict as JSON is elsewhere. Raises 415, 413 or 400."""

    media_type = MEDIA_TYPE

    def parse(self, stream, media_type=None, parser_context=None):
        request = parser_context["request"]
        if (media_type or "").partition(";")[0].strip().lower() != MEDIA_TYPE:
            raise UnsupportedContentType(f"Content-Type must be {MEDIA_TYPE}")
        return fields_of(self.read(request))


def fields_of(body):
    """Raises BadRequest."""
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
        )
    except ValueError as error:
        raise BadRequest(
            f"Request body must be a form in UTF-8 of at most {MAX_FIELDS} fields"
        ) from error
    fields = {}
    for name, value in pairs:
        refuse_unstorable(name + value, "Request body")
        fields.setdefault(name, []).append(value)
    if repeated := [name for name in fields if len(fields[name]) > 1 and name not in REPEATABLE]:
        raise BadRequest(f"Request body has the field {repeated[0]!r} more than once")
    return fields
