from functools import partial
from typing import NamedTuple

from marketplace.schema import read_sql

read = partial(read_sql, __file__)
SKILL_MD = "coalesce(nullif(NEW.skill_md, ''), NEW.content)"
STORED = "convert_from(stored.data, 'UTF8')"


class Written(NamedTuple):
    """The digest of what staff wrote, as a format with a row and its content.

    `texts` are the columns of versions with the digests of their texts, and `above` is what a
    version has above its content: a recall covers all of that.
    """

    digest: str
    texts: str
    above: str = ""

    def of(self, row, content):
        return self.digest.format(row=row, content=content)


def versions(kind, digest, written, columns, sources):
    """The versions of one kind; `sources` are the other columns that its `digest` covers.

    `columns` are the columns of its versions that others lack, with their values. A purge empties
    those that are sources.
    """

    def continued(texts):
        return "".join(f", {text}" for text in texts)

    return read(
        "versions.sql",
        kind=kind,
        digest=digest,
        written=written.of("NEW", "NEW.content"),
        own_written=written.of(kind, f"{kind}.content"),
        texts=written.texts,
        recalled_written=written.of("version", f"{written.above}{STORED}"),
        readable_written=written.of("version", STORED),
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
    read("look_alikes.sql"),
    *(read("successor.sql", kind=kind) for kind in ("skill", "persona")),
]
SQL = [
    *FUNCTIONS,
    read("stored.sql"),
    versions(
        "skill",
        f"catalogue_digest({SKILL_MD}, NEW.files)",
        Written(
            "catalogue_digest(catalogue_written({content}), {row}.files)",
            "content_digest, skill_md_digest",
        ),
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
        Written(
            # Files of earlier releases lost the line ends below their prompts.
            "catalogue_digest(rtrim(catalogue_written({content}), E'\\n'))",
            "content_digest",
            "version.frontmatter || ",
        ),
        {"frontmatter": "NEW.frontmatter"},
        ["frontmatter"],
    ),
]
