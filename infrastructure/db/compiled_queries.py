"""Querysets that are compiled to SQL once, because compiling costs more than a short query."""

from collections import namedtuple
from functools import cached_property, partial, wraps
from inspect import signature
from threading import Lock
from types import SimpleNamespace

from cachetools import LRUCache
from django.core.exceptions import EmptyResultSet
from django.db.models import Expression, TextField

from infrastructure.db.statements import fetch_all

# For this process, by shape; some 80 KiB each.
compiled_queries = LRUCache(100)
lock = Lock()


class BindParam(Expression):
    """The placeholder of a parameter: its value is bound at each run."""

    def __init__(self, name, output_field=None):
        super().__init__(output_field)
        self.name = name

    def as_sql(self, compiler, connection):
        return "%s", [self]


class InlineConstant(Expression):
    """A constant that is written into the SQL: `filter(status=InlineConstant("published"))`.

    As a parameter, it would keep PostgreSQL from reusing a plan with a partial index.
    """

    def __init__(self, text):
        super().__init__(TextField())
        self.text = text

    def as_sql(self, compiler, connection):
        return "'{}'".format(self.text.replace("'", "''").replace("%", "%%")), []


class CompiledQuery:
    """Compile the queryset that a function returns, once for all runs.

        @compiled
        def by_slug(slug):
            return Skill.objects.filter(slug=slug)

        by_slug(slug="pdf-tables")

    Annotations, `only`, `defer` and `values_list` work as usual; `select_related` and
    `prefetch_related` do not. The parameters can only be used in expressions.
    """

    def __init__(self, function):
        self.function = function

    def __call__(self, **params):
        """All rows, as named tuples."""
        return self.load(self.fetch(**params))

    def first(self, **params):
        """The first row, or None."""
        rows = self(**params)
        return rows[0] if rows else None

    def fetch(self, **params):
        """All rows, as the database returns them."""
        try:
            sql = self.compiled.sql
        except EmptyResultSet:
            return []
        return fetch_all(sql, self.values(params))

    def values(self, params):
        """The values for the placeholders of the SQL."""
        placeholders = self.compiled.placeholders
        return [params[p.name] if isinstance(p, BindParam) else p for p in placeholders]

    def load(self, rows):
        """The rows of `fetch`, as named tuples."""
        if not rows:
            return []
        if self.compiled.converters:
            rows = self.compiled.compiler.apply_converters(rows, self.compiled.converters)
        return list(map(partial(tuple.__new__, self.compiled.row_type), rows))

    @cached_property
    def compiled(self):
        # Two threads may compile at once: each compiles its own queryset.
        queryset = as_tuples(bind(self.function))
        compiler = queryset.query.get_compiler(using=queryset.db)
        sql, placeholders = compiler.as_sql()
        return SimpleNamespace(
            compiler=compiler,
            # Django would look them up in every run.
            converters=compiler.get_converters([column for column, *_ in compiler.select]),
            sql=sql,
            placeholders=placeholders,
            row_type=namedtuple("Row", queryset._fields),  # noqa: PYI024 - known only here
            versions=len(versions_of(queryset)),
        )


class VersionedQuery:
    """The same for rows with a `row_version`, compiled twice: as rows, and as their versions.

    The version of a row distinguishes its state from any other. It consists of the row's
    annotations as the database returns them, including `row_version`. An annotation that depends on
    nothing but the row sets `is_of_row`, and is left out: `row_version` covers it.
    """

    def __init__(self, function):
        @wraps(function)
        def row_versions(**params):
            queryset = function(**params)
            return queryset.values_list(*versions_of(queryset))

        self.rows, self.row_versions = CompiledQuery(function), CompiledQuery(row_versions)

    def select(self, **params):
        """The rows, as named tuples, and their versions."""
        rows = self.rows.fetch(**params)
        if not rows:
            return [], []
        number = self.rows.compiled.versions
        return self.rows.load(rows), [row[-number:] for row in rows]

    def versions(self, **params):
        """The versions without the rows."""
        return self.row_versions.fetch(**params)


compiled, versioned = CompiledQuery, VersionedQuery


def bind(function, *arguments):
    """Call a function with a placeholder for each parameter after these arguments."""
    names = [*signature(function).parameters][len(arguments) :]
    return function(*arguments, **placeholders(names))


def placeholders(names):
    """Expressions for parameters, by name."""
    return {name: BindParam(name) for name in names}


def as_tuples(queryset):
    """Tuples of the fields that the queryset does not defer, and of its annotations.

    They are faster to make than model instances. The columns of `versions_of` come last.
    """
    if queryset._fields:
        return queryset
    names, is_deferred = queryset.query.deferred_loading
    fields = queryset.model._meta.concrete_fields
    columns = [field.attname for field in fields if (field.name in names) != is_deferred]
    versions = versions_of(queryset)
    of_row = [name for name in queryset.query.annotations if name not in versions]
    return queryset.values_list("pk", *columns, *of_row, *versions)


def versions_of(queryset):
    """The annotations of which a row's version consists."""
    annotations = queryset.query.annotations.items()
    return [name for name, annotation in annotations if not getattr(annotation, "is_of_row", False)]


def compiled_once(shape, make):
    """The `(run, check)` that `make` compiles, once for all requests of this shape.

    A cached response keeps the check, so the check holds nothing that is compiled.
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
    """The check's result, or None, which counts as stale, if the query is no longer compiled."""
    with lock:
        _, check = compiled_queries.get(shape, (None, None))
    return check and check(**params)
