from functools import partial

from marketplace.schema import read_sql

read = partial(read_sql, __file__)
SKILL_MD = "coalesce(nullif(NEW.skill_md, ''), NEW.content)"


def versions(kind, digest, columns=(), values=(), sources=()):
    """The versions of one kind; `sources` are what its `digest` is of, beside its content."""

    def continued(texts):
        return "".join(f", {text}" for text in texts)

    return read(
        "versions.sql",
        kind=kind,
        digest=digest,
        columns=continued(columns),
        values=continued(values),
        sources=continued(sources),
    )


# Indexes need these.
FUNCTIONS = [
    read("digest.sql"),
    read("plain.sql"),
    *(read("successor.sql", kind=kind) for kind in ("skill", "persona")),
]
SQL = [
    *FUNCTIONS,
    read("stored.sql"),
    versions(
        "skill",
        f"catalogue_digest({SKILL_MD}, NEW.files)",
        ["skill_md_digest", "files", "archive_digest"],
        [
            f"catalogue_stored({SKILL_MD})",
            *("NEW.files", "NEW.archive_digest"),
        ],
        ["skill_md", "files"],
    ),
    versions("persona", "catalogue_digest(NEW.content)"),
]
