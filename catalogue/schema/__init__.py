from functools import partial

from marketplace.schema import read_sql

read = partial(read_sql, __file__)
SQL = [
    read("digest.sql"),
    read("plain.sql"),
    *(read("successor.sql", kind=kind) for kind in ("skill", "persona")),
]
