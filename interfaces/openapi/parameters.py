"""The parameters of a request: in the query, the path and the headers."""

from catalogue.serializers.fields import PERSONA_SLUG, EntrySlugField, PathField, VersionNumberField
from interfaces.openapi.components import TEXT
from marketplace.api.fields import IdentifierField
from search.list_queries import MAX_QUERY


def in_header(name, description):
    return {"name": name, "in": "header", "description": description, "schema": TEXT}


IF_NONE_MATCH = in_header(
    "If-None-Match",
    "The `ETag` of an earlier response. If nothing has changed, you get a 304 without a body.",
)
# For downloads that can be resumed.
RANGE = in_header(
    "Range",
    "The part to read: `bytes=0-99`, `bytes=100-`, or `bytes=-100` for the last 100 bytes. "
    "Multiple ranges are ignored.",
)
IF_RANGE = in_header(
    "If-Range",
    "The `ETag` of the part that you have. If it has changed, `Range` is ignored.",
)


def in_path(name, description, field):
    place = {"in": "path", "required": True}
    return {"name": name, **place, "description": description, "schema": field.schema}


NAME = "The unique name of the entry in URLs."
IN_PATH = [
    in_path("slug", NAME, EntrySlugField()),
    in_path("personaSlug", NAME, EntrySlugField(initial=PERSONA_SLUG)),
    in_path("path", "The file's `path`. Percent-encode everything except slashes.", PathField()),
    in_path("number", "The `number` of the version.", VersionNumberField()),
    in_path(
        "submissionId",
        "The `submissionId` of one of your submissions.",
        IdentifierField("submission"),
    ),
    in_path("tokenId", "The `tokenId` of one of your tokens.", IdentifierField("token")),
]


def of_list(view):
    """The query parameters that a list takes."""
    query = view.query_class
    meant = f"The order. By default, `{query.default_sort}`."
    if "q" in query.allowed():
        text = TEXT | {"maxLength": MAX_QUERY}
        yield in_query("q", "What you need, in your own words. Typos are corrected.", text)
        for alias, name in query.aliases.items():
            yield in_query(alias, f"An alias of `{name}`.", text)
        meant = f"The order. By default, `relevance` with `q`, otherwise `{query.default_sort}`."
    for name, parameter in query.filters.items():
        yield in_query(
            name, parameter.description, parameter.field.schema, required=name in query.required
        )
    if "sort" in query.allowed():
        yield in_query("sort", meant, {"type": "string", "enum": query.sort_names()})
    if "limit" in query.allowed():
        limit = {"type": "integer", "minimum": 1, "maximum": query.max_limit}
        limit["default"] = query.default_limit
        yield in_query("limit", "The maximum number of entries on one page.", limit)
        cursor = TEXT | {"minLength": 1}
        yield in_query(query.cursor_query_param, query.cursor_description, cursor)


def in_query(name, description, schema, *, required=False):
    parameter = {"name": name, "in": "query", "description": description, "schema": schema}
    return parameter | {"required": True} if required else parameter
