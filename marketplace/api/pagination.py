"""Keyset pages: as fast at the end of a list as at its start, and no row twice or never."""

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib.postgres.fields import ArrayField
from django.core import signing
from django.db.models import BigIntegerField, BooleanField, F, Func
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThan, LessThan

from marketplace.api.exceptions import BadRequest
from marketplace.db.compiled_queries import BindParam, CompiledQuery
from marketplace.http_cache.validators import Validator

# Without a time in them: the same page has the same cursors whenever it is made.
SIGNER = signing.Signer(salt="marketplace.api.pagination")
COMPILED = 40 * 1024  # bytes of a compiled queryset, about


@dataclass(frozen=True)
class Sort:
    """An order of a list: by `key`, ties by newest.

    Row ids rise with time, so "newest" is the id, negated in an ascending sort. With that both
    columns run the same way, and one comparison of rows, which an index answers at any depth,
    says what comes after a position: `(key, id) < (…, …)`.
    """

    key: Any
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
        """The condition for rows after (or, backwards, before) the position that is Given."""
        here = [Cast(BindParam("key"), field), BindParam("row")]
        lookup = LessThan if self.descending != backwards else GreaterThan
        return lookup(_row(self.columns), _row(here))

    def given(self, position):
        """The values of a position `[key, id]`."""
        key, row_id = position
        return {"key": key, "row": row_id if self.descending else -row_id}


def _row(columns):
    return Func(*columns, function="ROW", output_field=BooleanField())


def versions(row, queryset):
    """What tells this state of a row of the queryset from any other: its annotations."""
    return (row.pk, *(getattr(row, name) for name in queryset.query.annotations))


def versions_of(queryset):
    """The `versions` of all rows of a queryset, without the rows."""
    return queryset.values_list("pk", *queryset.query.annotations)


class Page:
    """One page of a list: `rows`, and the envelope that the contract wants around them.

    Subclasses say how to fetch `number` rows after (or, backwards, before) a position, nearest
    first, and the key of each (`key_of`); how many there are (`count`); the `versions` of what is
    `shown`; and what is the `validator` for it.
    """

    def __init__(self, *, limit, cursor=None, binding=""):
        """`binding` names all that the cursor depends on; one made for another is refused."""
        self.validator = None
        self.binding = hashlib.sha256(binding.encode()).hexdigest()[:16]
        self.has_cursor = cursor is not None
        self.backwards, position = self._read(cursor) if self.has_cursor else (False, None)
        rows = self.fetch(position, limit + 1)
        self.has_more = len(rows) > limit
        self.rows = rows[:limit][:: -1 if self.backwards else 1]

    def fetch(self, position, number):
        raise NotImplementedError

    def envelope(self, request, query, results):
        has_next = bool(self.rows) and (self.has_more or self.backwards)
        has_previous = bool(self.rows) and (self.has_more if self.backwards else self.has_cursor)
        return {
            "results": results,
            "count": self.count,
            "next": self._url(request, query, self.rows[-1], backwards=False) if has_next else None,
            "previous": self._url(request, query, self.rows[0], backwards=True)
            if has_previous
            else None,
        }

    def key_of(self, row):
        return row.sort_key

    def _url(self, request, query, row, *, backwards):
        key = self.key_of(row)
        position = [key.isoformat() if hasattr(key, "isoformat") else str(key), row.pk]
        cursor = SIGNER.sign_object([self.binding, int(backwards), *position])
        query = {**query, "cursor": [cursor]}
        return f"{request.build_absolute_uri(request.path)}?{urlencode(query, doseq=True)}"

    def _read(self, cursor):
        try:
            binding, backwards, *position = SIGNER.unsign_object(cursor)
        except (signing.BadSignature, ValueError) as error:
            raise BadRequest("cursor is invalid") from error
        if binding != self.binding:
            raise BadRequest("cursor is invalid")
        return bool(backwards), position


def keyset(queryset, sort, count, number, place):
    """The first `number` rows at a place, "start", or "after" or "before" a position; prepared.

    Once as named tuples, each with its `sort_key` and the `count` as `total`, and once as their
    versions.
    """
    wanted = queryset.annotate(sort_key=sort.key, total=count)
    backwards = place == "before"
    if place != "start":
        field = wanted.query.annotations["sort_key"].output_field
        wanted = wanted.filter(sort.beyond(field, backwards=backwards))
    wanted = wanted.order_by(*sort.ordering(backwards=backwards))[:number]
    return CompiledQuery(lambda: as_tuples(wanted)), CompiledQuery(lambda: versions_of(wanted))


def by_ids(queryset):
    """The rows of which the `ids` are given, prepared: as named tuples, and as their versions."""
    # As one text: to write twenty of them as a list takes psycopg some 20 µs longer.
    ids = Cast(BindParam("ids"), ArrayField(BigIntegerField()))
    is_among = Func(
        *(F("pk"), ids),
        arg_joiner=" = ANY(",
        template="(%(expressions)s))",
        output_field=BooleanField(),
    )
    chosen = queryset.filter(is_among).order_by("pk")
    return CompiledQuery(lambda: as_tuples(chosen)), CompiledQuery(lambda: versions_of(chosen))


def as_tuples(queryset):
    """Named tuples of all that the queryset reads of its model (see `defer`), and its annotations.

    To make objects of the model of them took a fifth of a list.
    """
    deferred, _ = queryset.query.deferred_loading
    fields = queryset.model._meta.concrete_fields  # noqa: SLF001
    columns = [field.attname for field in fields if field.attname not in deferred]
    return queryset.values_list("pk", *columns, *queryset.query.annotations, named=True)


class KeysetPage(Page):
    """A page in the order of a Sort: of what `prepare` makes, a `keyset`, of values that are given.

    So its SQL, and the time that it took to make, serves all pages that differ in values alone.
    """

    def __init__(self, prepare, sort, given, **options):
        self.prepare = prepare
        self.sort = sort
        self.given = given
        self.count = 0
        super().__init__(**options)

    def fetch(self, position, number):
        place, given = "start", self.given
        if position is not None:
            place = "before" if self.backwards else "after"
            given = given | self.sort.given(position)
        wanted, check = self.prepare(number, place)
        rows = wanted(**given)
        self.shown = [versions(row, wanted.queryset) for row in rows]
        if rows or position is None:
            self.count = rows[0].total if rows else 0
            self.validator = Validator(partial(check, **given), self.shown, weight=COMPILED)
        else:
            # Beyond the last row none says how many there are; the first does.
            at_start, _ = self.prepare(number, "start")
            first = at_start.first(**self.given)
            self.count = first.total if first else 0
        return rows


class RankedPage(Page):
    """A page of a ranking: `[(key, id), …]` with whole numbers as keys, highest first.

    Its rows are those of `prepared`, as `among` makes it. They are all that the validator is of:
    that the ranking is still the same, whoever made it has to say.
    """

    def __init__(self, prepared, ranking, **options):
        self.prepared = prepared
        self.ranking = ranking
        self.count = len(ranking)
        super().__init__(**options)

    def fetch(self, position, number):
        ranking = self.ranking[:: -1 if self.backwards else 1]
        if position is not None:
            ranking = self.beyond(position, ranking)
        self.keys = {row_id: key for key, row_id in ranking[:number]}
        chosen, check = self.prepared
        ids = f"{{{','.join(map(str, self.keys))}}}"
        found = {row.pk: row for row in chosen(ids=ids)}
        # What was withdrawn since it was ranked is not there any more.
        rows = [found[row_id] for row_id in self.keys if row_id in found]
        seen = [versions(row, chosen.queryset) for row in rows]
        self.validator = Validator(partial(check, ids=ids), sorted(seen))
        # The keys stand in the links of the page.
        self.shown = [(self.key_of(row), *version) for row, version in zip(rows, seen, strict=True)]
        return rows

    def beyond(self, position, ranking):
        """What comes after the row of a position, which may have another key by now."""
        key, row_id = position
        ids = [row_id for _, row_id in ranking]
        if row_id in ids:
            return ranking[ids.index(row_id) + 1 :]
        here = (int(key), row_id)
        return [row for row in ranking if (row > here if self.backwards else row < here)]

    def key_of(self, row):
        return self.keys[row.pk]
