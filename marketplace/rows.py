from functools import lru_cache
from operator import itemgetter

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Func, TextField
from django.db.models.base import ModelState

from infrastructure.replicas.reading import reading


def instance_of(model, row, prefix, **related):
    """An instance of a model from the columns of a named row that begin with the prefix.

    With the prefix `agent_` these are `agent_id`, `agent_handle`, …; other fields are deferred.
    `related` are the rows that its foreign keys refer to.
    """
    names, columns, converters = columns_of(model, type(row), prefix)
    values = dict(zip(names, columns(row), strict=False))
    for name, convert in converters:
        values[name] = convert(values[name], None, None)
    return stored(model, values, DEFAULT_DB_ALIAS, related)


@lru_cache
def columns_of(model, row_type, prefix):
    places = {
        name.removeprefix(prefix): place
        for place, name in enumerate(row_type._fields)
        if name.startswith(prefix)
    }
    fields = [field for field in model._meta.concrete_fields if field.attname in places]  # noqa: SLF001
    names = [field.attname for field in fields]
    converters = [
        (field.attname, field.from_db_value) for field in fields if hasattr(field, "from_db_value")
    ]
    # One place more than names: for a single place, itemgetter returns no tuple.
    return names, itemgetter(*(places[name] for name in names), 0), converters


def from_row(model, row):
    """An instance of a model from a row of a compiled query, with its annotations as attributes."""
    values = row._asdict()
    values["id"] = values.pop("pk")
    return stored(model, values, reading.alias, {})


def stored(model, values, alias, related):
    """An instance as `Model.from_db` makes it, but without `__init__`.

    The signals and defaults of `__init__` take longer than reading the row.
    """
    instance = model.__new__(model)
    state = ModelState()
    state.adding, state.db, state.fields_cache = False, alias, related
    instance.__dict__.update(values, _state=state)
    return instance


def row_version(model):
    """An expression that changes with every write to the row."""
    table = model._meta.db_table  # noqa: SLF001
    return Func(template=f'"{table}".xmin::text || "{table}".ctid::text', output_field=TextField())
