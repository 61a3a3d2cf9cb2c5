from django.db import migrations

from marketplace.db.operations import RunConcurrently


# In short transactions, so that no request waits long; an interrupted run may be repeated. A write to
# one of these entries waits for its batch. A category adds words and raises impacts, no more.
FILL = '''
DO $$
BEGIN
    FOR start IN 0 .. (SELECT coalesce(max(id), 0) FROM catalogue_{kind}) BY 200 LOOP
        LOOP
            BEGIN
                PERFORM FROM catalogue_{kind} WHERE id BETWEEN start AND start + 199
                ORDER BY id FOR NO KEY UPDATE;
                INSERT INTO catalogue_{kind}posting (entry_id, word, impact)
                SELECT entry_id, value, impact FROM catalogue_{kind}fact
                WHERE facet = 'word' AND entry_id BETWEEN start AND start + 199
                EXCEPT
                SELECT entry_id, word, impact FROM catalogue_{kind}posting
                WHERE entry_id BETWEEN start AND start + 199
                ON CONFLICT (entry_id, word) DO UPDATE SET impact = excluded.impact;
                IF FOUND THEN
                    PERFORM catalogue_bump_version();
                END IF;
                EXIT;
            EXCEPTION WHEN deadlock_detected THEN
                -- With staff who edit two of these in another order; the batch is tried again.
            END;
        END LOOP;
        COMMIT;
    END LOOP;
END $$
'''
# One statement reads entries and counts of one snapshot, and adds the differences: what is written
# meanwhile is counted by the triggers.
COUNT = '''
DO $$
BEGIN
    WITH truth AS (
        SELECT facet, value, count(*) AS entries FROM catalogue_{kind}fact
        WHERE facet IN ('word', 'implied', 'spelling') GROUP BY facet, value
    ), present AS (
        SELECT facet, value, sum(entries) AS entries FROM (
            SELECT kind, facet, value, entries FROM catalogue_facetcount
            UNION ALL
            SELECT kind, facet, value, entries FROM catalogue_facetcountdelta
        ) AS counted
        WHERE kind = '{kind}' AND facet IN ('word', 'implied', 'spelling') GROUP BY facet, value
    )
    INSERT INTO catalogue_facetcountdelta (kind, facet, value, entries)
    SELECT '{kind}', facet, value, coalesce(truth.entries, 0) - coalesce(present.entries, 0)
    FROM truth FULL JOIN present USING (facet, value)
    WHERE coalesce(truth.entries, 0) <> coalesce(present.entries, 0);
    PERFORM catalogue_bump_version();
END $$
'''


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('catalogue', '0013_category_words'),
    ]

    operations = [
        RunConcurrently([FILL.format(kind='skill')], migrations.RunSQL.noop),
        RunConcurrently([FILL.format(kind='persona')], migrations.RunSQL.noop),
        RunConcurrently([COUNT.format(kind='skill')], migrations.RunSQL.noop),
        RunConcurrently([COUNT.format(kind='persona')], migrations.RunSQL.noop),
    ]
