"""The query string of a list, declared once for the API, OpenAPI and the website."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from marketplace.api.exceptions import BadRequest
from marketplace.api.fields import Field, TextField

GIVEN_TWICE = "{name} must be given at most once"


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


class FilterSet:
    """The rows of a list to show, and their order. Reads fetch them.

    `bound` is the owner of the list, such as an agent. Unknown and repeated parameters are refused.
    """

    filters = {}
    required = ()  # names of filters
    sorts = {}
    default_sort = None
    aliases = {}

    def __init__(self, query, **bound):
        self.query, self.bound = query, bound
        self.params = self._params(query)
        self.sort = self._sort(self.params.get("sort"))
        self.values = {
            name: parameter.read(query[name] if parameter.is_repeatable else self.params[name])
            for name, parameter in self.filters.items()
            if name in self.params
        }
        for name in self.required:
            if name not in self.values:
                raise BadRequest(self.missing(name))

    @classmethod
    def allowed(cls):
        """The names of the parameters. A list with only one sort has no `sort`."""
        sort = {"sort"} if len(cls.sorts) > 1 else set()
        return {"limit", "cursor", *sort, *cls.aliases, *cls.filters}

    @classmethod
    def refusals(cls):
        """The texts of its 400s."""
        yield cls.unknown("colour")
        yield from map(cls.missing, cls.required)
        yield from (parameter.error for parameter in cls.filters.values() if parameter.error)
        if "sort" in cls.allowed():
            yield cls.unknown_sort()

    @classmethod
    def unknown(cls, name):
        return f"Unknown query parameter '{name}'. Allowed: {', '.join(sorted(cls.allowed()))}"

    @classmethod
    def missing(cls, name):
        return f"{name} is required: one of {cls.filters[name].field.names}"

    @classmethod
    def unknown_sort(cls):
        return f"sort must be one of {', '.join(cls.sort_names())}"

    @property
    def binding(self):
        """Everything that a cursor depends on."""
        return repr((type(self).__name__, self.sort, self.bound, sorted(self.values.items())))

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
        """Everything that the SQL depends on, except the sort."""
        return *self.values, *self.inlined.items()

    def _params(self, query):
        """The first value of each parameter, aliases resolved."""
        allowed, params = self.allowed(), {}
        for parameter, values in query.items():
            if parameter not in allowed:
                raise BadRequest(self.unknown(parameter))
            name = self.aliases.get(parameter, parameter)
            is_repeatable = name in self.filters and self.filters[name].is_repeatable
            if name in params or (len(values) > 1 and not is_repeatable):
                raise BadRequest(GIVEN_TWICE.format(name=name))
            params[name] = values[0]
        return params

    def _sort(self, name):
        if name is None:
            return self.default_sort
        if name not in self.sort_names():
            raise BadRequest(self.unknown_sort())
        return name
