from functools import partial

from marketplace.schema import read_sql

read = partial(read_sql, __file__)
SQL = [
    read("forgotten.sql"),
    *(read("forgets.sql", kind=kind) for kind in ("skill", "persona")),
]
