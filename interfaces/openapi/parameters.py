"""What stands in the URL and the headers of a request."""

from catalogue.filters import ALIASES, DEFAULT_LIMIT, MAX_LIMIT, MAX_QUERY
from interfaces.openapi.components import SLUG as A_SLUG
from interfaces.openapi.components import TEXT
from marketplace.api.exceptions import BadRequest

MEANINGS = {
    "q": (TEXT | {"maxLength": MAX_QUERY}, "Search in your own words; typos are corrected."),
    "category": (TEXT, "Only of this category."),
    "tag": (
        {"type": "array", "items": TEXT},
        "Only with this tag. Repeat it for several, all of which an entry must have.",
    ),
    "runtime": (TEXT, "Only for this runtime, such as `python`."),
    "author": (TEXT, "Only by this author."),
    "bundledIn": (A_SLUG, "Only skills that come with the persona of this slug."),
    "skill": (A_SLUG, "Only personas that bundle the skill of this slug."),
    "free": ({"type": "boolean"}, "`true`: only free ones, `false`: only priced ones."),
    "minRating": (
        {"type": "number", "minimum": 1, "maximum": 5},
        "Only with this average rating or better.",
    ),
    "limit": (
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
        "The most entries of one page.",
    ),
    "cursor": (
        TEXT,
        "Where the page begins. Follow `next` and `previous` of an answer, which hold it.",
    ),
}
FIRST, LAST = ["q", *ALIASES, "tag"], ["sort", "limit", "cursor"]

IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The `ETag` of an earlier answer: 304 without a body where it is still true.",
    "schema": TEXT,
}
SLUG = {
    "name": "slug",
    "in": "path",
    "required": True,
    "description": "The unique name of the entry.",
    "schema": A_SLUG,
}


def of_list(list_query):
    """The query parameters that a ListQuery takes; anything else is a 400."""
    sort = (
        {"type": "string", "enum": ["relevance", *list_query.sorts]},
        f"Without it `relevance` where there is a `q`, else `{list_query.default_sort}`.",
    )
    meanings = {**MEANINGS, "sort": sort}
    for name, meant in ALIASES.items():
        meanings[name] = (MEANINGS[meant][0], f"The same as `{meant}`.")
    return [
        {"name": name, "in": "query", "description": meaning, "schema": schema}
        for name in [*FIRST, *list_query.filters, *LAST]
        for schema, meaning in [meanings[name]]
    ]


def refusals(list_query):
    """The exact texts of the 400s that a ListQuery's parameters bring, as it says them."""
    for query in (
        *({"colour": ["red"]}, {"q": ["one", "two"]}, {"q": ["x" * (MAX_QUERY + 1)]}),
        *({"limit": ["0"]}, {"sort": ["best"]}, {"sort": ["relevance"]}),
    ):
        try:
            list_query(query)
        except BadRequest as error:
            yield str(error.detail)
