"""Staff who save texts during faults, and the rules that all versions obey afterwards."""

import random
import time
from contextlib import suppress

import psycopg

from tests.system.workers import Workers

PAUSE = 0.02  # seconds between two saves
SAVE = """
    UPDATE catalogue_{kind} SET content = content || ' ' WHERE slug = %s RETURNING number, digest
"""
# Rows that must not exist, with {kind} filled in.
BROKEN = {
    "numbers with gaps": """
        SELECT {kind}_id FROM catalogue_{kind}version
        GROUP BY {kind}_id HAVING (min(number), max(number)) <> (1, count(*))
    """,
    "entries whose text is not their newest version": """
        SELECT slug FROM catalogue_{kind} AS entry LEFT JOIN catalogue_{kind}version AS version
            ON (version.{kind}_id, version.number) = (entry.id, entry.number)
        WHERE entry.status = 'published' AND version.digest IS DISTINCT FROM entry.digest
    """,
    "numbers after the newest": """
        SELECT slug FROM catalogue_{kind} AS entry JOIN catalogue_{kind}version AS version
            ON version.{kind}_id = entry.id AND version.number > entry.number
    """,
    "versions without their text": """
        SELECT version.id FROM catalogue_{kind}version AS version
        LEFT JOIN catalogue_filecontent AS stored ON stored.digest = content_digest
        WHERE content_digest IS DISTINCT FROM 'sha256:' || encode(sha256(data), 'hex')
    """,
    "installs of another version than they say": """
        SELECT install.id FROM installs_{kind}install AS install
        LEFT JOIN catalogue_{kind}version AS version USING ({kind}_id, number)
        WHERE version.digest IS DISTINCT FROM install.digest
            OR pinned_id IS NOT NULL AND pinned_id <> version.id
    """,
}


class Editor(Workers):
    """As a context manager: a member of staff who saves one text after the other."""

    def __init__(self, site):
        super().__init__(threads=1)
        self.site, self.saves = site, 0
        self.entries = [
            (kind, slug) for kind, slugs in site.catalogue.items() for slug in sorted(slugs)
        ]

    def work(self):
        while not self.stopped.is_set():
            with suppress(psycopg.OperationalError), self.connect() as link:
                while not self.stopped.is_set():
                    self.save(link, *random.choice(self.entries))
            time.sleep(PAUSE)

    def connect(self):
        return psycopg.connect(self.site.postgres.url, autocommit=True, connect_timeout=2)

    def save(self, link, kind, slug):
        """A save that returns is acknowledged; one that fails may be stored or not."""
        statement = SAVE.format(kind=kind.removesuffix("s"))
        [(number, digest)] = link.execute(statement, [slug]).fetchall()
        self.site.acknowledged.answered({("version", kind, slug, number): digest})
        self.saves += 1
        time.sleep(PAUSE)


def broken_versions(rows_of):
    """`{problem: rows}`, according to `rows_of(query)`."""
    rows_by_problem = {
        f"{kind}s: {what}": rows_of(query.format(kind=kind))
        for kind in ("skill", "persona")
        for what, query in BROKEN.items()
    }
    return {what: rows for what, rows in rows_by_problem.items() if rows}
