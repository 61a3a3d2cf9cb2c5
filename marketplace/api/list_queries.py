"""What a client requests of a list, declared once for the API, OpenAPI and the website."""

import dataclasses
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.db.models import BooleanField, F, Func
from django.db.models.lookups import GreaterThan, LessThan

from marketplace.api.exceptions import BadRequest, InvalidCursor
from marketplace.api.fields import Field, TextField
from marketplace.api.links import base_url

GIVEN_TWICE = "{name} must be given at most once"
# Signed without a timestamp, so the same page always has the same cursors. The salt never changes,
# because clients keep cursors.
SIGNER = signing.Signer(salt="marketplace.api.pagination")


@dataclass(frozen=True)
class Filter:
    """A query parameter that narrows a list.

    `condition` makes the Q for a value, or for an expression in its place. If `parse` raises
    ValueError, the text is refused with the `error`.
    """

    condition: Callable
    description: str
    field: Field = dataclasses.field(default_factory=TextField)
    error: str = ""
    parse: Callable = str  # the parameter's text, or the list of texts if it is repeatable
    is_repeatable: bool = False
    is_facet: bool = False  # its values are counted in FacetCount
    is_inlined: bool = False  # each value has its own SQL
    is_selective: bool = False  # leaves few entries, whatever the value
    is_versioned: bool = True  # the catalogue version rises when other entries pass

    def read(self, text):
        try:
            return self.parse(text)
        except ValueError as error:
            raise BadRequest(self.error) from error


@dataclass(frozen=True)
class Sort:
    """An order of a list, by `key` and then newest first; the website shows its `label`.

    Row ids rise with time, so "newest" is the id, negated in an ascending sort. Then both columns
    sort in the same direction, and one row comparison finds the rows after a position:
    `(key, id) < (…, …)`. An index serves it at any depth.
    """

    key: Any
    label: str
    descending: bool = True

    @property
    def columns(self):
        return [self.key, F("id") if self.descending else F("id") * -1]

    def ordering(self, *, reverse):
        descending = self.descending != reverse
        return [
            column.desc() if descending else column.asc()
            for column in (F("sort_key"), self.columns[1])
        ]

    def beyond(self, key, row, *, reverse):
        """The condition for rows after (or, in reverse, before) a position."""
        lookup = LessThan if self.descending != reverse else GreaterThan
        return lookup(_row(self.columns), _row([key, row]))

    def keyset(self, position):
        """The `key` and `row` of a position `[key, id]`."""
        key, row_id = position
        return {"key": key, "row": row_id if self.descending else -row_id}


def _row(columns):
    return Func(*columns, function="ROW", output_field=BooleanField())


class ListQuery:
    """The filters, the sort and the page of a list that a query string requests.

    `bound` is the owner of the list, such as an agent. Unknown and repeated parameters are refused.
    """

    cursor_name = None  # of the list. Clients keep cursors, so a name never changes.
    cursor_query_param = "cursor"
    cursor_description = (
        "Where the page starts. The `next` and `previous` URLs of a response contain it."
    )
    default_limit, max_limit = 20, 100
    limit_refusal = f"limit must be a whole number from 1 to {max_limit}"
    filters = {}
    required = ()  # names of filters
    sorts = {}
    default_sort = None
    aliases = {}
    position = None  # [key, id] of the row before the page, or after it in reverse
    reverse = False

    def __init__(self, query_params, *, default_limit=default_limit, **bound):
        self.query_params, self.bound = query_params, bound
        self.params = self._params(query_params)
        self.sort = self._sort(self.params.get("sort"))
        self.values = {
            name: parameter.read(self.params[name])
            for name, parameter in self.filters.items()
            if name in self.params
        }
        self.clean()
        self.limit = self._limit(self.params.get("limit", str(default_limit)))
        cursor = self.params.get(self.cursor_query_param)
        if cursor is not None:
            self.decode_cursor(cursor)

    def clean(self):
        """Raise BadRequest for values that do not go together, as a form does."""
        for name in self.required:
            if name not in self.values:
                raise BadRequest(self.missing(name))

    @classmethod
    def allowed(cls):
        """The names of the parameters. A list with only one sort has no `sort`."""
        sort = {"sort"} if len(cls.sorts) > 1 else set()
        return {"limit", cls.cursor_query_param, *sort, *cls.aliases, *cls.filters}

    @classmethod
    def refusals(cls):
        """The texts of its 400s."""
        yield cls.unknown("colour")
        yield from map(cls.missing, cls.required)
        yield from (parameter.error for parameter in cls.filters.values() if parameter.error)
        if "sort" in cls.allowed():
            yield cls.unknown_sort()
        if "limit" in cls.allowed():
            yield cls.limit_refusal

    @classmethod
    def unknown(cls, name):
        return f"Unknown query parameter '{name}'. Allowed: {', '.join(sorted(cls.allowed()))}"

    @classmethod
    def missing(cls, name):
        return f"{name} is required: one of {cls.filters[name].field.names}"

    @classmethod
    def unknown_sort(cls):
        return f"sort must be one of {', '.join(cls.sort_names())}"

    @classmethod
    def sort_names(cls):
        return list(cls.sorts)

    @property
    def sort_choices(self):
        """The names and labels of the sorts, the default one first."""
        return [(name, sort.label) for name, sort in self.sorts.items()]

    @property
    def inlined(self):
        """The values that have their own SQL."""
        return {name: value for name, value in self.values.items() if self.filters[name].is_inlined}

    @property
    def shape(self):
        """Everything that the SQL depends on, except the sort and the page."""
        return *self.values, *self.inlined.items()

    @property
    def place(self):
        """Where the page begins: at the "start", or "after" or "before" the position."""
        if self.position is None:
            return "start"
        return "before" if self.reverse else "after"

    @property
    def keyset(self):
        """The position, as values of the SQL; {} at the start."""
        return {} if self.position is None else self.sorts[self.sort].keyset(self.position)

    @property
    def binding(self):
        """Everything that a cursor depends on."""
        return repr((self.cursor_name, self.sort, self.bound, sorted(self.values.items())))

    def link(self, request, cursor):
        """The URL of the page at another cursor."""
        query = urlencode({**self.query_params, self.cursor_query_param: [cursor]}, doseq=True)
        return f"{base_url(request)}{request.path}?{query}"

    def encode_cursor(self, position, *, reverse):
        return SIGNER.sign_object([self._binding_digest(), int(reverse), *position])

    def decode_cursor(self, cursor):
        """Set the position and the direction; a cursor of another query is refused."""
        try:
            binding, reverse, *position = SIGNER.unsign_object(cursor)
        except (signing.BadSignature, ValueError) as error:
            raise InvalidCursor from error
        if binding != self._binding_digest():
            raise InvalidCursor
        self.reverse, self.position = bool(reverse), position

    def _binding_digest(self):
        return hashlib.sha256(self.binding.encode()).hexdigest()[:16]

    def _params(self, query_params):
        """The text of each parameter, or its texts if it is repeatable, aliases resolved."""
        allowed, params = self.allowed(), {}
        for parameter, values in query_params.items():
            if parameter not in allowed:
                raise BadRequest(self.unknown(parameter))
            name = self.aliases.get(parameter, parameter)
            is_repeatable = name in self.filters and self.filters[name].is_repeatable
            if name in params or (len(values) > 1 and not is_repeatable):
                raise BadRequest(GIVEN_TWICE.format(name=name))
            params[name] = values if is_repeatable else values[0]
        return params

    def _sort(self, name):
        if name is None:
            return self.default_sort
        if name not in self.sort_names():
            raise BadRequest(self.unknown_sort())
        return name

    def _limit(self, text):
        if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= self.max_limit:
            raise BadRequest(self.limit_refusal)
        return int(text)
