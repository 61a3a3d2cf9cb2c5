"""The rows that a page is cut from: in the order of a sort, or of a ranking."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, BooleanField, F, Func
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThan, LessThan

from marketplace.db.compiled_queries import BindParam, VersionedQuery
from marketplace.http_cache.validators import Validator


@dataclass(frozen=True)
class Sort:
    """An order of a list, by `key` and then the newest first; the website shows its `label`.

    Row ids rise with time, so "newest" is the id, negated in an ascending sort. With that both
    columns run the same way, and one comparison of rows, which an index serves at any depth,
    says what comes after a position: `(key, id) < (…, …)`.
    """

    key: Any
    label: str
    descending: bool = True

    @property
    def columns(self):
        return [self.key, F("id") if self.descending else F("id") * -1]

    def ordering(self, *, backwards):
        descending = self.descending != backwards
        return [
            column.desc() if descending else column.asc()
            for column in (F("sort_key"), self.columns[1])
        ]

    def beyond(self, field, *, backwards):
        """The condition for rows after (or, backwards, before) the position that is bound."""
        here = [Cast(BindParam("key"), field), BindParam("row")]
        lookup = LessThan if self.descending != backwards else GreaterThan
        return lookup(_row(self.columns), _row(here))

    def bound(self, position):
        """The parameters of a position `[key, id]`."""
        key, row_id = position
        return {"key": key, "row": row_id if self.descending else -row_id}


def _row(columns):
    return Func(*columns, function="ROW", output_field=BooleanField())


class Rows:
    """The rows of a list, in their order.

    After `fetch` they have a `count`, the `versions` of the rows that were fetched, and a
    `validator`, which includes the `validators` that the list as a whole depends on.
    """

    def __init__(self, validators=()):
        self.validators = validators
        self.validator = None
        self.count = 0

    def fetch(self, position, number, *, backwards=False):
        """The first `number` rows after (or, backwards, before) a position, nearest first."""
        raise NotImplementedError

    def key_of(self, row):
        return row.sort_key


class SortedRows(Rows):
    """Rows in the order of a Sort.

    `compiled(number, place)` returns a `compile_page`, to which `params` are bound: lists that
    differ in values alone share it.
    """

    def __init__(self, compiled, sort, params, **options):
        super().__init__(**options)
        self.compiled = compiled
        self.sort = sort
        self.params = params

    def fetch(self, position, number, *, backwards=False):
        place, params = "start", self.params
        if position is not None:
            place = "before" if backwards else "after"
            params = params | self.sort.bound(position)
        select, check = self.compiled(number, place)
        rows, self.versions = select(**params)
        if rows or position is None:
            self.count = rows[0].total if rows else 0
            validator = Validator(partial(check, **params), self.versions)
            self.validator = Validator.of_all([*self.validators, validator])
        else:
            # Beyond the last row none has the count; the first row has.
            select, _ = self.compiled(number, "start")
            at_start, _ = select(**self.params)
            self.count = at_start[0].total if at_start else 0
        return rows


class RankedRows(Rows):
    """Rows in the order of a ranking: `[(key, id), …]` with whole numbers as keys, highest first.

    `compiled` is a `compile_by_ids`. The ranking may end after a page, `count` is that of the whole
    one. The validator covers the rows; `validators` must cover the ranking.
    """

    def __init__(self, compiled, ranking, count, **options):
        super().__init__(**options)
        self.compiled = compiled
        self.ranking = ranking
        self.count = count

    def fetch(self, position, number, *, backwards=False):
        ranking = self.ranking[:: -1 if backwards else 1]
        if position is not None:
            ranking = self.beyond(position, ranking, backwards=backwards)
        self.keys = {row_id: key for key, row_id in ranking[:number]}
        ids = as_array(self.keys)
        rows, seen = self.compiled.select(ids=ids)
        validator = Validator(partial(self.compiled.versions, ids=ids), seen)
        self.validator = Validator.of_all([*self.validators, validator])
        found = {row.pk: (row, version) for row, version in zip(rows, seen, strict=True)}
        # An entry that was withdrawn after the ranking is missing. The versions have the keys,
        # which are in the cursors of the page.
        present = [(*found[row_id], key) for row_id, key in self.keys.items() if row_id in found]
        self.versions = [(key, *version) for _, version, key in present]
        return [row for row, _, _ in present]

    def beyond(self, position, ranking, *, backwards):
        """What comes after the row of a position, which may have another key by now."""
        key, row_id = position
        ids = [row_id for _, row_id in ranking]
        if row_id in ids:
            return ranking[ids.index(row_id) + 1 :]
        here = (int(key), row_id)
        return [row for row in ranking if (row > here if backwards else row < here)]

    def key_of(self, row):
        return self.keys[row.pk]


def compile_page(queryset, sort, count, number, place):
    """The first `number` rows at a place, "start", or "after" or "before" a position.

    Compiled as named tuples, each with its `sort_key` and the `count` as `total`, and as versions.
    Returns `select` and `versions` of a VersionedQuery.
    """
    selected = queryset.annotate(sort_key=sort.key, total=count)
    backwards = place == "before"
    if place != "start":
        field = selected.query.annotations["sort_key"].output_field
        selected = selected.filter(sort.beyond(field, backwards=backwards))
    selected = selected.order_by(*sort.ordering(backwards=backwards))[:number]
    page = VersionedQuery(as_tuples(selected))
    return page.select, page.versions


def compile_by_ids(queryset):
    """The VersionedQuery of the rows whose `ids` are bound, as named tuples, in their order."""
    return VersionedQuery(as_tuples(among_ids(queryset).order_by("pk")))


def among_ids(queryset):
    """The rows whose `ids` are bound, as `as_array` writes them."""
    is_among = Func(
        *(F("pk"), Cast(BindParam("ids"), ArrayField(BigIntegerField()))),
        arg_joiner=" = ANY(",
        template="(%(expressions)s))",
        output_field=BooleanField(),
    )
    return queryset.filter(is_among)


def as_array(ids):
    """Ids as one text, because psycopg takes longer to write a list."""
    return f"{{{','.join(map(str, ids))}}}"


def as_tuples(queryset):
    """Named tuples of the fields that the queryset does not defer, and of its annotations.

    They take less time to make than instances of the model.
    """
    deferred, _ = queryset.query.deferred_loading
    fields = queryset.model._meta.concrete_fields  # noqa: SLF001
    columns = [field.attname for field in fields if field.attname not in deferred]
    return queryset.values_list("pk", *columns, *queryset.query.annotations, named=True)
