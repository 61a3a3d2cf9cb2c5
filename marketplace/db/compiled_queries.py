"""Querysets compiled to SQL once: compiling takes longer than all the rest of a short request."""

from django.core.exceptions import EmptyResultSet
from django.db import IntegrityError, connection, connections
from django.db.models import Expression, TextField
from django.utils.functional import cached_property


class Given(Expression):
    """A value that each run of a Prepared queryset gives: `filter(slug=Given("slug"))`."""

    def __init__(self, name, output_field=None):
        super().__init__(output_field)
        self.name = name

    def as_sql(self, compiler, connection):
        return "%s", [self]


class Literal(Expression):
    """A constant that stands in the SQL itself and is no parameter: `filter(status=Literal("x"))`.

    PostgreSQL keeps one plan for all values of a parameter. That plan can use no index that covers
    only some rows, so it would plan every run anew instead, at several times the cost of the run.
    """

    def __init__(self, text):
        super().__init__(TextField())
        self.text = text

    def as_sql(self, compiler, connection):
        return "'{}'".format(self.text.replace("'", "''").replace("%", "%%")), []


class Prepared:
    """A queryset to be run many times: `by_slug = Prepared(lambda: …)`, then `by_slug(slug="pdf")`.

    The queryset is built on the first run, when all models are there. It keeps its meaning, its
    `select_related`, annotations, `only` and `values`; what it can't hold is `prefetch_related`.
    """

    def __init__(self, build):
        self.build = build

    def __call__(self, **given):
        """All rows, as the queryset would give them."""
        try:
            queryset, compiler, converters, sql, params = self.compiled
        except EmptyResultSet:
            return []
        values = [given[p.name] if isinstance(p, Given) else p for p in params]
        rows = connections[queryset.db].fetch_all(sql, values)
        if converters:
            rows = compiler.apply_converters(rows, converters)
        return list(queryset._iterable_class(Fetched(queryset, compiler, rows)))

    @property
    def queryset(self):
        return self.compiled[0]

    def first(self, **given):
        """The first row, or None."""
        rows = self(**given)
        return rows[0] if rows else None

    @cached_property
    def compiled(self):
        # A copy, because compiling changes a query, and two threads may do so at once.
        queryset = self.build().all()
        compiler = queryset.query.get_compiler(using=queryset.db)
        sql, params = compiler.as_sql()
        # Django looks for them anew in every run, which takes as long as making the objects.
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        return queryset, compiler, converters, sql, params


class Fetched:
    """Stands for the queryset, its query and its compiler where Django makes objects of rows."""

    def __init__(self, queryset, compiler, rows):
        self.sources = (compiler, queryset, queryset.query)
        self.rows = rows

    @property
    def query(self):
        return self

    def get_compiler(self, *_args, **_options):
        return self

    def execute_sql(self, **_options):
        """Nothing is left to do: `results_iter` has the rows."""

    def results_iter(self, _results=None, *, tuple_expected=False, **_options):
        return map(tuple, self.rows) if tuple_expected else self.rows

    def __getattr__(self, name):
        for source in self.sources:
            if hasattr(source, name):
                return getattr(source, name)
        raise AttributeError(name)


def run_at_once(statement, **values):
    """The one row of a hand-written statement, or None where it did nothing.

    What a constraint refuses was done by somebody else in the same moment. The statement has then
    done nothing either, and whoever sent it finds out step by step. Not for use in a transaction.
    """
    try:
        rows = connection.fetch_all(statement, values)
        return rows[0] if rows else None
    except IntegrityError:
        return None
