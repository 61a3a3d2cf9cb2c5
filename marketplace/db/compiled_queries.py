"""Querysets that are compiled to SQL once: for a short request compiling is the larger part."""

from functools import partial
from threading import Lock

from cachetools import LRUCache
from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import Expression, TextField
from django.utils.functional import cached_property

# Of this process, by their shapes; 80 KiB each, about.
compiled_queries = LRUCache(100)
lock = Lock()


class BindParam(Expression):
    """A value that is bound at each run of a CompiledQuery: `filter(slug=BindParam("slug"))`."""

    def __init__(self, name, output_field=None):
        super().__init__(output_field)
        self.name = name

    def as_sql(self, compiler, connection):
        return "%s", [self]


class InlineConstant(Expression):
    """A constant that is written into the SQL: `filter(status=InlineConstant("published"))`.

    As a parameter it would keep PostgreSQL from reusing a plan that uses a partial index.
    """

    def __init__(self, text):
        super().__init__(TextField())
        self.text = text

    def as_sql(self, compiler, connection):
        return "'{}'".format(self.text.replace("'", "''").replace("%", "%%")), []


class CompiledQuery:
    """A queryset that is compiled once: `find = CompiledQuery(queryset)`, then `find(slug="pdf")`.

    It is compiled at the first run. Annotations, `only`, `values` and `select_related` work as
    usual; `prefetch_related` does not.
    """

    def __init__(self, queryset):
        self.queryset = queryset

    def __call__(self, **params):
        """All rows, as the queryset would return them."""
        return self.load(self.fetch(**params))

    def fetch(self, **params):
        """All rows, as the database returns them."""
        try:
            queryset, _, _, sql, placeholders = self.compiled
        except EmptyResultSet:
            return []
        values = [params[p.name] if isinstance(p, BindParam) else p for p in placeholders]
        return connections[queryset.db].fetch_all(sql, values)

    def load(self, rows):
        """What `fetch` has returned, as the queryset would return it."""
        if not rows:
            return []
        queryset, compiler, converters, _, _ = self.compiled
        if converters:
            rows = compiler.apply_converters(rows, converters)
        return list(queryset._iterable_class(RowAdapter(queryset, compiler, rows)))

    def first(self, **params):
        """The first row, or None."""
        rows = self(**params)
        return rows[0] if rows else None

    @cached_property
    def compiled(self):
        # Compiling changes a query, and two threads may compile at once: each compiles a copy.
        queryset = self.queryset.all()
        compiler = queryset.query.get_compiler(using=queryset.db)
        sql, params = compiler.as_sql()
        # Django would look up the converters in every run.
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        return queryset, compiler, converters, sql, params


class VersionedQuery:
    """A queryset that is compiled twice: as its rows, and as the versions of its rows.

    The version of a row is what distinguishes this state of it from any other: its annotations, as
    the database returns them, with the `row_version` among them.
    """

    def __init__(self, queryset):
        names = list(queryset.query.annotations)
        self.rows = CompiledQuery(queryset)
        self.row_versions = CompiledQuery(queryset.values_list(*names))
        self.number = len(names)

    def select(self, **params):
        """The rows and their versions."""
        rows = self.rows.fetch(**params)
        return self.rows.load(rows), [row[-self.number :] for row in rows]

    def versions(self, **params):
        """The versions without the rows."""
        return self.row_versions.fetch(**params)


class RowAdapter:
    """Lets Django's iterables (ModelIterable, ValuesListIterable, …) read rows that were fetched.

    It stands in for the queryset, its query and its compiler.
    """

    def __init__(self, queryset, compiler, rows):
        self.sources = (compiler, queryset, queryset.query)
        self.rows = rows

    @property
    def query(self):
        return self

    def get_compiler(self, *_args, **_options):
        return self

    def execute_sql(self, **_options):
        """The rows are fetched already; `results_iter` returns them."""

    def results_iter(self, _results=None, *, tuple_expected=False, **_options):
        return map(tuple, self.rows) if tuple_expected else self.rows

    def __getattr__(self, name):
        for source in self.sources:
            if hasattr(source, name):
                return getattr(source, name)
        raise AttributeError(name)


def compiled_once(shape, make):
    """The `(run, check)` that `make` compiles, made once for all requests of this shape.

    A cached response keeps the check, so this one keeps nothing that is compiled.
    """
    with lock:
        compiled = compiled_queries.get(shape)
    if compiled is None:
        compiled = make()
        with lock:
            compiled_queries[shape] = compiled
    run, _ = compiled
    return run, partial(check_of, shape)


def check_of(shape, **params):
    """None, which no response shows, where it would have to be compiled again."""
    with lock:
        _, check = compiled_queries.get(shape, (None, None))
    return check and check(**params)
