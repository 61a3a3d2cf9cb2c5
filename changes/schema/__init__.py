from functools import partial

from catalogue.models import Persona, Skill
from marketplace.schema import read_sql

read = partial(read_sql, __file__)

# Columns that no list or detail shows, that never change, or that change only with the text.
UNSEEN = {
    "id",
    "public_id",
    "number",
    "checked_number",
    "checked_at",
    "source",
    "former_source",
    "withdrawn_at",
    "withdrawal_reason",
    "deprecated_at",
    "digest",
    "context_tokens",
    "archive_digest",
    "findings",
}


def entries(model, other, *, beside):
    """The feed of one kind of entry.

    `beside` are the columns of an entry that details of the other kind show.

    The feed watches the columns that a list or a detail shows, except counters. A generated column
    changes with its sources.
    """
    left_out = UNSEEN.union(model.COUNTERS)
    columns = [
        field.column
        for field in model._meta.concrete_fields  # noqa: SLF001
        if not field.generated and field.name not in left_out
    ]
    return read(
        "entries.sql",
        kind=model.kind,
        other=other.kind,
        columns=", ".join(columns),
        old_beside=", ".join(f"OLD.{name}" for name in beside),
        new_beside=", ".join(f"NEW.{name}" for name in beside),
    )


SQL = [
    read("constraints.sql"),
    read("feed.sql"),
    entries(Skill, Persona, beside=["slug", "title", "description", "status"]),
    entries(Persona, Skill, beside=["slug", "title", "status"]),
]
