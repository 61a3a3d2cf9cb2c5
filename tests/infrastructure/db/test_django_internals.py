"""The undocumented parts of Django that the database backend uses: a test for each name.

If one fails after an upgrade, Django has changed that name. The names are used in
infrastructure/db/base.py and infrastructure/db/compiled_queries.py.
"""

from inspect import signature
from types import SimpleNamespace

import psycopg
import pytest
from django.db import OperationalError, connection, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.backends.postgresql.psycopg_any import BaseTzLoader
from django.db.backends.utils import CursorWrapper
from django.db.models import Count
from django.db.transaction import TransactionManagementError

from catalogue.models import Skill
from infrastructure.db.compiled_queries import BindParam

our_backend = pytest.mark.infrastructure  # PLAIN=1 compiles querysets without this backend


@pytest.fixture
def wrapper(transactional_db):
    """Django's own backend with a separate connection."""
    wrapper = DatabaseWrapper(connection.settings_dict)
    wrapper.ensure_connection()
    yield wrapper
    wrapper.close()


# The backend: infrastructure/db/base.py.


@our_backend
@pytest.mark.parametrize(
    ("owner", "name", "parameters"),
    [
        (DatabaseWrapper, "get_new_connection", ["conn_params"]),
        (DatabaseWrapper, "make_cursor", ["cursor"]),
        (DatabaseWrapper, "is_usable", []),
        (DatabaseWrapper, "_close", []),
        (DatabaseWrapper, "close_if_health_check_failed", []),
        (DatabaseWrapper, "validate_no_broken_transaction", []),
        (CursorWrapper, "_execute", ["sql", "params", "ignored_wrapper_args"]),
        (CursorWrapper, "_executemany", ["sql", "param_list", "ignored_wrapper_args"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_method_is_called_with(owner, name, parameters):
    assert [*signature(getattr(owner, name)).parameters] == ["self", *parameters]


@our_backend
def test_database_is_the_module_that_it_connects_with(wrapper, monkeypatch):
    def connect(**params):
        raise LookupError(params)

    assert wrapper.Database is psycopg
    monkeypatch.setattr(wrapper, "Database", SimpleNamespace(connect=connect))

    with pytest.raises(LookupError):
        wrapper.get_new_connection({"dbname": "x"})


@our_backend
def test_ensure_connection_connects_once(wrapper):
    first = wrapper.connection
    wrapper.ensure_connection()
    assert wrapper.connection is first
    wrapper.close()

    wrapper.ensure_connection()

    assert not wrapper.connection.closed


@our_backend
def test_close_calls_close_of_the_backend(wrapper, monkeypatch):
    calls, close = [], wrapper._close
    monkeypatch.setattr(wrapper, "_close", lambda: calls.append(wrapper.connection) or close())
    opened = wrapper.connection

    wrapper.close()

    assert calls == [opened]


@our_backend
def test_make_cursor_makes_every_cursor(wrapper, monkeypatch):
    monkeypatch.setattr(wrapper, "make_cursor", lambda cursor: ("made of", cursor))
    wrapper.force_debug_cursor = False

    assert wrapper.cursor()[0] == "made of"


@our_backend
@pytest.mark.parametrize("name", ["execute", "executemany"])
def test_execute_and_executemany_end_in_those_of_the_wrapper(name):
    calls = []

    class Noting(CursorWrapper):
        def _execute(self, *arguments):
            calls.append("execute")

        def _executemany(self, *arguments):
            calls.append("executemany")

    getattr(Noting(None, SimpleNamespace(execute_wrappers=[])), name)("SELECT 1", [])

    assert calls == [name]


@our_backend
def test_wrap_database_errors_makes_them_djangos(wrapper):
    with pytest.raises(OperationalError), wrapper.wrap_database_errors:
        raise psycopg.OperationalError


@our_backend
def test_close_if_health_check_failed_asks_is_usable(wrapper, monkeypatch):
    monkeypatch.setattr(wrapper, "is_usable", lambda: False)
    wrapper.health_check_enabled, wrapper.health_check_done = True, False

    wrapper.close_if_health_check_failed()

    assert wrapper.connection is None


@our_backend
def test_needs_rollback_and_validate_no_broken_transaction(wrapper):
    assert wrapper.needs_rollback is False
    wrapper.validate_no_broken_transaction()
    wrapper.needs_rollback = True

    with pytest.raises(TransactionManagementError):
        wrapper.validate_no_broken_transaction()


@our_backend
def test_needs_rollback_is_set_by_an_error_in_a_transaction(transactional_db):
    with transaction.atomic():
        with pytest.raises(ZeroDivisionError), transaction.atomic(savepoint=False):
            raise ZeroDivisionError
        assert connection.needs_rollback is True


@our_backend
@pytest.mark.parametrize(
    ("name", "value"), [("queries_logged", False), ("execute_wrappers", []), ("autocommit", True)]
)
def test_an_attribute_is(wrapper, name, value):
    assert getattr(wrapper, name) == value


@our_backend
def test_base_tz_loader_reads_a_timestamp_in_its_timezone():
    class Loader(BaseTzLoader):
        timezone = None

    assert Loader(0).load(b"2026-01-31 09:05:59+00").isoformat() == "2026-01-31T09:05:59"


# Querysets: infrastructure/db/compiled_queries.py.


def compiler_of(queryset):
    return queryset.query.get_compiler(using=queryset.db)


def test_get_compiler_and_as_sql_return_placeholders_with_their_objects():
    param = BindParam("slug")

    sql, placeholders = compiler_of(Skill.objects.filter(slug=param).order_by()).as_sql()

    assert sql.endswith('WHERE "catalogue_skill"."slug" = (%s)')
    assert [*placeholders] == [param]


def test_select_holds_a_column_first_and_get_converters_are_by_place():
    compiler = compiler_of(Skill.objects.values_list("slug", "files"))
    compiler.as_sql()

    [slug, files] = [column for column, *_ in compiler.select]

    assert (slug.target.name, files.target.name) == ("slug", "files")
    assert [*compiler.get_converters([slug, files])] == [1]


def test_apply_converters_takes_rows_and_returns_them_converted():
    compiler = compiler_of(Skill.objects.all())
    converters = {1: ([lambda value, _expression, _connection: value + 1], None)}

    assert [*compiler.apply_converters([(1, 2), (3, 4)], converters)] == [[1, 3], [3, 5]]


def test_fields_are_the_names_of_values():
    assert Skill.objects.all()._fields is None
    assert Skill.objects.values_list("slug", "title")._fields == ("slug", "title")


def test_deferred_loading_has_the_names_and_whether_they_are_deferred():
    assert Skill.objects.defer("title").query.deferred_loading == ({"title"}, True)
    names, is_deferred = Skill.objects.only("title").query.deferred_loading
    assert ("title" in names, is_deferred) == (True, False)


def test_annotations_are_by_name():
    assert [*Skill.objects.annotate(amount=Count("pk")).query.annotations] == ["amount"]
