from functools import partial

from marketplace.schema import read_sql

read = partial(read_sql, __file__)
SKILL_MD = "coalesce(nullif(NEW.skill_md, ''), NEW.content)"
STORED = "convert_from(stored.data, 'UTF8')"


def versions(kind, digest, written, columns, sources, texts, above=""):
    """The versions of one kind; `sources` are the other columns that its `digest` covers.

    `written` is the digest of what staff wrote, as a format with a row and its content; `columns`
    are the columns of its versions that others lack, with their values. A purge empties those that
    are sources. `texts` are the columns with the digests of its texts. A recall covers them with
    what is `above`.
    """

    def continued(texts):
        return "".join(f", {text}" for text in texts)

    return read(
        "versions.sql",
        kind=kind,
        digest=digest,
        written=written.format(row="NEW", content="NEW.content"),
        own_written=written.format(row=kind, content=f"{kind}.content"),
        texts=texts,
        recalled_written=written.format(row="version", content=f"{above}{STORED}"),
        readable_written=written.format(row="version", content=STORED),
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
        "catalogue_digest(catalogue_written({content}), {row}.files)",
        {
            "skill_md_digest": f"catalogue_stored({SKILL_MD})",
            "files": "NEW.files",
            "archive_digest": "NEW.archive_digest",
        },
        ["skill_md", "files"],
        texts="content_digest, skill_md_digest",
    ),
    versions(
        "persona",
        "catalogue_digest(NEW.frontmatter || NEW.content)",
        # Files of earlier releases lost the line ends below their prompts.
        "catalogue_digest(rtrim(catalogue_written({content}), E'\\n'))",
        {"frontmatter": "NEW.frontmatter"},
        ["frontmatter"],
        texts="content_digest",
        above="version.frontmatter || ",
    ),
]
