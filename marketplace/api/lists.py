"""Keyset pagination: as fast at the end of a list as at its start, and each row exactly once.

A view reads a page with `reads.skills.page(SkillQuery(…))`; docs/develop/life-of-a-request.md
follows one from its URL to its SQL.
"""

from functools import partial
from operator import attrgetter

from django.db.models import Count, Subquery, Value
from django.db.models.functions import Cast, Coalesce
from rest_framework.response import Response

from infrastructure.db.compiled_queries import bind, compiled_once, placeholders, versioned
from infrastructure.http_cache.validators import Read


class KeysetList:
    """A list that clients read page by page. Subclasses define `get_queryset`.

    It is compiled once, so its parameters, such as `agent`, are placeholders. The `bound` values of
    the ListQuery fill them, or values that are passed to `fetch_page`.
    """

    def get_queryset(self):
        """All rows, `with_row_version` if responses are cached."""
        raise NotImplementedError

    def get_count(self, queryset, query):
        """An expression for the number of rows. It may have parameters, like the queryset."""
        numbers = queryset.order_by().values(every=Value(1)).annotate(number=Count("pk"))
        return Coalesce(Subquery(numbers.values("number")), 0)

    def page(self, query):
        """The KeysetPage of a ListQuery."""
        return self.fetch_page(query)

    def fetch_page(self, query, validators=(), **params):
        """Its page, with values that the query lacks and validators of the list as a whole."""
        params = {**query.values, **query.bound, **params}
        select, check = self.compiled(query, query.place)
        read = Read.fetch(select, check, params | query.keyset, validators)
        counted = read.value
        if not counted and query.position is not None:
            # Beyond the last row, no row carries the count. The first row of the list does.
            select, _ = self.compiled(query, "start")
            counted, _ = select(**params)
            read = read._replace(validator=None)
        return KeysetPage(query, read, counted[0].total if counted else 0)

    def compiled(self, query, place):
        """The `select` and the `versions` of `compile`, shared by queries that differ in values."""
        shape = (self, *self.get_shape(query), query.sort, query.limit, place)
        return compiled_once(shape, partial(self.compile, query, place))

    def compile(self, query, place):
        sort, number, reverse = query.sorts[query.sort], query.limit + 1, place == "before"
        queryset = self.filter_queryset(bind(self.get_queryset), query)
        count = bind(self.get_count, queryset, query)
        rows = queryset.annotate(sort_key=sort.key, total=count)
        rows = rows.order_by(*sort.ordering(reverse=reverse))
        if place != "start":
            key, row = placeholders(["key", "row"]).values()
            key = Cast(key, rows.query.annotations["sort_key"].output_field)
            rows = rows.filter(sort.beyond(key, row, reverse=reverse))
        page = versioned(lambda: rows[:number])
        return page.select, page.versions

    def filter_queryset(self, queryset, query):
        """The rows that pass the filters, with placeholders for their values."""
        for name, value in (placeholders(query.values) | query.inlined).items():
            queryset = queryset.filter(query.filters[name].condition(value))
        return queryset

    def get_shape(self, query):
        """Everything that `filter_queryset` and `get_count` depend on."""
        return query.shape


class KeysetPage:
    """The `results` of a page, the `count` of the whole list, and the links to its neighbors.

    The `rows` of the Read are nearest to the position first, with one more if the list goes on.
    """

    def __init__(self, query, read, count, key_of=attrgetter("sort_key")):
        self.query, self.count, self.key_of = query, count, key_of
        self.rows, self.validator, versions = read
        self.results = self.rows[: query.limit][:: -1 if query.reverse else 1]
        self.read = Read(self.results, self.validator, [count, versions])
        has_more = len(self.rows) > query.limit
        self.has_next = has_more or query.reverse
        self.has_previous = has_more if query.reverse else query.position is not None

    def get_paginated_response(self, data, request):
        return Response(
            {
                "results": data,
                "count": self.count,
                "next": self.get_next_link(request),
                "previous": self.get_previous_link(request),
            }
        )

    def get_next_link(self, request):
        if not self.results or not self.has_next:
            return None
        return self.query.link(request, self.next_cursor)

    def get_previous_link(self, request):
        if not self.results or not self.has_previous:
            return None
        return self.query.link(request, self.cursor_of(self.results[0], reverse=True))

    @property
    def next_cursor(self):
        return self.cursor_of(self.results[-1], reverse=False)

    def cursor_of(self, row, *, reverse):
        key = self.key_of(row)
        key = key.isoformat() if hasattr(key, "isoformat") else str(key)
        return self.query.encode_cursor([key, row.pk], reverse=reverse)
