from functools import partial

from marketplace.schema import read_sql

read = partial(read_sql, __file__)

# The columns that a list or a detail shows, but for counters.
COLUMNS = [
    *("slug", "title", "description", "category", "tags", "runtimes", "author", "version"),
    *("license", "content", "status", "deprecation_message", "successor_id"),
    *("created_at", "updated_at"),
]


def entries(kind, other, *more, beside):
    """The feed of one kind of entry. `beside` are the columns that the other kind shows."""
    return read(
        "entries.sql",
        kind=kind,
        other=other,
        columns=", ".join([*COLUMNS, *more]),
        old_beside=", ".join(f"OLD.{name}" for name in beside),
        new_beside=", ".join(f"NEW.{name}" for name in beside),
    )


SQL = [
    read("constraints.sql"),
    read("feed.sql"),
    entries(
        *("skill", "persona", "skill_md", "files"),
        beside=["slug", "title", "description", "status"],
    ),
    entries("persona", "skill", "price_cents", beside=["slug", "title", "status"]),
]
