from functools import lru_cache

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Func, TextField


def instance_of(model, row, prefix):
    """The instance of a model in those columns of a named row that begin with the prefix.

    `agent_id`, `agent_handle`, … with the prefix `agent_`; other fields are deferred.
    """
    names, places = columns_of(type(row), prefix)
    return model.from_db(DEFAULT_DB_ALIAS, names, [row[place] for place in places])


@lru_cache
def columns_of(row_type, prefix):
    columns = [
        (name.removeprefix(prefix), place)
        for place, name in enumerate(row_type._fields)
        if name.startswith(prefix)
    ]
    return tuple(zip(*columns, strict=True))


def row_version(model):
    """An expression that changes with every write to the row."""
    table = model._meta.db_table  # noqa: SLF001
    return Func(template=f'"{table}".xmin::text || "{table}".ctid::text', output_field=TextField())
