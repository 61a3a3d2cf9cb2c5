"""The rows of lists, and the validators for them."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from infrastructure.db.compiled_queries import bind, compiled_once
from infrastructure.http_cache.validators import Read
from marketplace.api.keysets import as_array, compile_page, count_rows, filtered


class Rows(NamedTuple):
    """The rows of a filter set, to cut a page from: `fetch(Cut(20))` reads a Slice."""

    filterset: Any
    fetch: Callable


class Cut(NamedTuple):
    """The first `number` rows after (or, backwards, before) a position, nearest first."""

    number: int
    position: Any = None  # [key, id]
    backwards: bool = False


class Slice(NamedTuple):
    """Some rows of a list, the `count` of all, and the `versions` of the shown rows."""

    rows: list
    count: int
    versions: list
    validator: Any  # like that of a Read
    key_of: Callable = attrgetter("sort_key")


class FilteredList:
    """The rows of a queryset that pass a filter set.

    `queryset` is a function that returns the queryset; this class can decorate it. Its parameters
    are values that are bound to the filter set, like those of a `compiled` function.
    `count(queryset, filterset)` is an expression for the number of rows, and may take the same
    parameters.
    """

    def __init__(self, queryset, count=lambda queryset, _filterset: count_rows(queryset)):
        self.queryset, self.count = queryset, count

    def __call__(self, filterset):
        return Rows(filterset, partial(self.fetch, filterset))

    def fetch(self, filterset, cut, validators=(), **params):
        """A Slice. Its validator includes those for the list as a whole."""
        params = {**filterset.values, **filterset.bound, **params}
        sort = filterset.sorts[filterset.sort]
        return fetch_sorted(partial(self.page, filterset), sort, params, cut, validators)

    def page(self, filterset, number, place):
        """The `compile_page` in the order of the filter set."""
        sort = filterset.sorts[filterset.sort]

        def compile_rows(queryset):
            return compile_page(
                queryset, sort, bind(self.count, queryset, filterset), number, place
            )

        return self.compiled(filterset, compile_rows, filterset.sort, number, place)

    def compiled(self, filterset, compile_rows, *shape):
        """The query of `compile_rows`, compiled once for all lists that differ only in values."""
        return compiled_once(
            (self, *filterset.shape, *shape),
            lambda: compile_rows(filtered(bind(self.queryset), filterset)),
        )


def fetch_sorted(page, sort, params, cut, validators=()):
    """A Slice in the order of a Sort.

    `page(number, place)` returns a `compile_page`, to which `params` are bound. Lists that differ
    only in values share it.
    """
    place, here = "start", params
    if cut.position is not None:
        place = "before" if cut.backwards else "after"
        here = params | sort.bound(cut.position)
    rows, validator, versions = Read.checked(*page(cut.number, place), here, validators)
    if rows or cut.position is None:
        return Slice(rows, rows[0].total if rows else 0, versions, validator)
    # Beyond the last row, no row carries the count. The first row of the list does.
    select, _ = page(cut.number, "start")
    at_start, _ = select(**params)
    return Slice([], at_start[0].total if at_start else 0, [], None)


def fetch_ranked(by_ids, ranking, count, cut, validators=()):
    """A Slice in the order of a ranking: `[(key, id), …]`, keys are whole numbers, highest first.

    `by_ids` is a VersionedQuery of the rows with the bound `ids`. The ranking may end after a page;
    `count` is that of the whole ranking. The `validators` must cover the ranking.
    """
    ranking = ranking[:: -1 if cut.backwards else 1]
    if cut.position is not None:
        ranking = beyond(cut, ranking)
    keys = {row_id: key for key, row_id in ranking[: cut.number]}
    ids = as_array(keys)
    checked = Read.checked(by_ids.select, by_ids.versions, {"ids": ids}, validators)
    rows, validator, versions = checked
    by_id = {row.pk: (row, version) for row, version in zip(rows, versions, strict=True)}
    # An entry that was withdrawn after the ranking is missing. The versions include the keys,
    # because the cursors of the page do.
    present = [(*by_id[row_id], key) for row_id, key in keys.items() if row_id in by_id]
    return Slice(
        [row for row, _, _ in present],
        count,
        [(key, *version) for _, version, key in present],
        validator,
        lambda row: keys[row.pk],
    )


def beyond(cut, ranking):
    """The items after the row of the position, which may have another key by now."""
    key, row_id = cut.position
    ids = [row_id for _, row_id in ranking]
    if row_id in ids:
        return ranking[ids.index(row_id) + 1 :]
    here = (int(key), row_id)
    return [row for row in ranking if (row > here if cut.backwards else row < here)]
