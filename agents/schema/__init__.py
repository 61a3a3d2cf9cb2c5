from functools import partial

from marketplace.schema import read_sql

read = partial(read_sql, __file__)
SQL = [read("leaked.sql"), read("refusals.sql")]
