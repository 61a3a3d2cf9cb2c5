from functools import partial

from marketplace.schema import read_sql

read = partial(read_sql, __file__)
SKILL_MD = "coalesce(nullif(NEW.skill_md, ''), NEW.content)"


def versions(kind, digest, written, columns, sources):
    """The versions of one kind; `sources` are the other columns that its `digest` covers.

    `written` is the digest of what staff wrote, as a format with a row; `columns` are the columns
    of its versions that others lack, with their values. A purge empties those that are sources.
    """

    def continued(texts):
        return "".join(f", {text}" for text in texts)

    return read(
        "versions.sql",
        kind=kind,
        digest=digest,
        written=written.format(row="NEW"),
        own_written=written.format(row=kind),
        columns=continued(columns),
        values=continued(columns.values()),
        sources=continued(sources),
        own_texts=",".join(name for name in sources if name in columns),
    )


# Indexes need these.
FUNCTIONS = [
    read("digest.sql"),
    read("plain.sql"),
    read("labels.sql"),
    *(read("successor.sql", kind=kind) for kind in ("skill", "persona")),
]
SQL = [
    *FUNCTIONS,
    read("stored.sql"),
    versions(
        "skill",
        f"catalogue_digest({SKILL_MD}, NEW.files)",
        "catalogue_digest({row}.content, {row}.files)",
        {
            "skill_md_digest": f"catalogue_stored({SKILL_MD})",
            "files": "NEW.files",
            "archive_digest": "NEW.archive_digest",
        },
        ["skill_md", "files"],
    ),
    versions(
        "persona",
        "catalogue_digest(NEW.frontmatter || NEW.content)",
        # Files of earlier releases lost the line ends below their prompts.
        "catalogue_digest(rtrim({row}.content, E'\\r\\n'))",
        {"frontmatter": "NEW.frontmatter"},
        ["frontmatter"],
    ),
]
