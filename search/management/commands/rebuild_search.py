from django.db import connection, transaction
from tqdm import tqdm

from audit.models import AuditEvent
from catalogue.models import Persona, Skill
from marketplace.acting import ActingCommand

BATCH = 1000  # ids
ACTION = "rebuild_search"

# Writes to these entries wait for the batch, so that it does not overwrite them.
LOCK = "SELECT id FROM catalogue_{kind} WHERE id BETWEEN %s AND %s ORDER BY id FOR NO KEY UPDATE"
FIX_POSTINGS = """
    WITH truth AS MATERIALIZED (
        SELECT entry_id, value AS word, impact FROM search_{kind}fact
        WHERE facet = 'word' AND entry_id BETWEEN %(first)s AND %(last)s
    ),
    present AS MATERIALIZED (
        SELECT entry_id, word, impact FROM search_{kind}posting
        WHERE entry_id BETWEEN %(first)s AND %(last)s
    ),
    wrong AS (
        DELETE FROM search_{kind}posting USING (
            SELECT entry_id, word FROM present EXCEPT SELECT entry_id, word FROM truth
        ) AS extra
        WHERE search_{kind}posting.entry_id = extra.entry_id
            AND search_{kind}posting.word = extra.word
        RETURNING extra.entry_id
    ),
    missing AS (
        INSERT INTO search_{kind}posting (entry_id, word, impact)
        SELECT * FROM truth EXCEPT SELECT * FROM present
        ON CONFLICT (entry_id, word) DO UPDATE SET impact = excluded.impact
        RETURNING entry_id
    )
    SELECT count(DISTINCT entry_id)
    FROM (SELECT entry_id FROM wrong UNION ALL SELECT entry_id FROM missing) AS corrected
"""
# One statement reads rows and counts in one snapshot, and adds the differences. A write that is
# committed meanwhile adds its own.
FIX_FACET_COUNTS = """
    WITH truth AS (
        SELECT facet, value, count(*) AS entries FROM search_{kind}fact GROUP BY facet, value
    ),
    present AS (
        SELECT facet, value, sum(entries) AS entries FROM (
            SELECT kind, facet, value, entries FROM search_facetcount
            UNION ALL
            SELECT kind, facet, value, entries FROM search_facetcountdelta
        ) AS counted
        WHERE kind = '{kind}' GROUP BY facet, value HAVING sum(entries) <> 0
    )
    INSERT INTO search_facetcountdelta (kind, facet, value, entries)
    SELECT '{kind}', facet, value, coalesce(truth.entries, 0) - coalesce(present.entries, 0)
    FROM truth FULL JOIN present USING (facet, value)
    WHERE truth.entries IS DISTINCT FROM present.entries
"""


class Command(ActingCommand):
    help = "Compare the search index and the facet counts with the entries, and fix them."
    as_one = True

    def handle(self, **options):
        for model in (Skill, Persona):
            kind = model.kind
            with connection.cursor() as cursor:
                corrected = sum(fix_postings(cursor, kind))
                with transaction.atomic():
                    cursor.execute(FIX_FACET_COUNTS.format(kind=kind))
                    counts = cursor.rowcount
                    if counts:
                        AuditEvent.objects.record(ACTION, kind=kind, facet_counts=counts)
                    cursor.execute("SELECT search_bump_version()")
            self.stdout.write(
                f"{kind}s: {corrected} entries and {counts} counts had drifted and are corrected."
                if corrected or counts
                else f"{kind}s: the index and the counts are correct."
            )


def fix_postings(cursor, kind):
    """Fix the postings in batches; yields the number of corrected entries in each."""
    cursor.execute(
        f"SELECT greatest((SELECT max(id) FROM catalogue_{kind}),"
        f" (SELECT max(entry_id) FROM search_{kind}posting))"
    )
    last = cursor.fetchone()[0] or 0
    for first in tqdm(range(1, last + 1, BATCH), unit=f"k {kind}s", disable=None):
        bounds = {"first": first, "last": first + BATCH - 1}
        with transaction.atomic():
            cursor.execute(LOCK.format(kind=kind), [first, first + BATCH - 1])
            cursor.execute(FIX_POSTINGS.format(kind=kind), bounds)
            [corrected] = cursor.fetchone()
            if corrected:
                cursor.execute("SELECT search_bump_version()")
                AuditEvent.objects.record(ACTION, kind=kind, count=corrected)
        yield corrected
