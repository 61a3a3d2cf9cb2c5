from functools import partial

from marketplace.schema import read_sql

read = partial(read_sql, __file__)

FACTS = ["title", "slug", "tags", "description", "category", "runtimes", "author", "license"]


def entries(kind, counter, *more, is_free):
    """The triggers of one kind of entry, which has `more` columns that it is found by."""
    written = [*FACTS, "status", *more]
    return read(
        "entries.sql",
        kind=kind,
        counter=counter,
        columns=", ".join([*(f"entry.{name}" for name in FACTS), is_free]),
        written=", ".join(written),
        old=", ".join(f"OLD.{name}" for name in written),
        new=", ".join(f"NEW.{name}" for name in written),
    )


SQL = [
    read("facts.sql"),
    read("synonyms.sql"),
    read("counts.sql"),
    read("popularity.sql"),
    entries("skill", "downloads", is_free="NULL"),
    entries("persona", "installs", "price_cents", is_free="entry.price_cents = 0"),
]
