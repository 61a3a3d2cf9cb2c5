"""Reading query strings strictly (contract 2.9)."""

from urllib.parse import parse_qsl

from marketplace.api.exceptions import BadRequest
from marketplace.api.parsers import refuse_unstorable

MAX_PARAMETERS = 100


def query_parameters(request):
    """The query string as `{name: [values]}`, including empty values.

    Parsed from the raw string, because Django's QueryDict silently replaces invalid UTF-8.
    """
    raw = request.META.get("QUERY_STRING")
    if not raw:
        return {}
    try:
        pairs = parse_qsl(
            raw, keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS
        )
    except UnicodeDecodeError as error:
        raise BadRequest("Query string must be percent-encoded UTF-8") from error
    except ValueError as error:
        raise BadRequest(f"Query string must have at most {MAX_PARAMETERS} parameters") from error
    parameters = {}
    for name, value in pairs:
        refuse_unstorable(name + value, "Query string")
        parameters.setdefault(name, []).append(value)
    return parameters
