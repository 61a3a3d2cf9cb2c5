from marketplace.schema import read_sql

SQL = [read_sql(__file__, "days.sql", kind=kind) for kind in ("skill", "persona")]
