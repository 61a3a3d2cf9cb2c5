"""What the tables need beyond their models: functions, triggers, views and options.

Each app declares it once, in the SQL files of its `schema` folder. A migration holds a copy of what
it changes, so that it stays as it was; a test compares the database with the files.
"""

from pathlib import Path


def read_sql(package_file, name, **values):
    """The text of an SQL file beside `package_file`, with the values in its braces."""
    text = (Path(package_file).parent / name).read_text()
    return text.format(**values) if values else text


SQL = [read_sql(__file__, "rate_counts.sql")]
