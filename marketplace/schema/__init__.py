from marketplace.db.schema import read_sql

SQL = [read_sql(__file__, "rate_counts.sql")]
