from django.db import migrations

from marketplace.db.operations import RunConcurrently


# In short transactions, so that no request waits long; an interrupted run may be repeated. The locks
# keep an entry as it is until its change is there; the triggers go on from that.
FILL = '''
DO $$
BEGIN
    FOR start IN 0 .. (SELECT coalesce(max(id), 0) FROM catalogue_{kind}) BY 100 LOOP
        LOOP
            BEGIN
                INSERT INTO catalogue_change (kind, entry_id, slug, change, digest, changed_at)
                SELECT '{kind}', id, slug, 'published', digest, least(updated_at, now())
                FROM (
                    SELECT id, slug, digest, updated_at FROM catalogue_{kind}
                    WHERE id BETWEEN start AND start + 99 AND status = 'published'
                    ORDER BY id FOR SHARE
                ) AS published
                ON CONFLICT DO NOTHING;
                EXIT;
            EXCEPTION WHEN deadlock_detected THEN
                -- With staff who edit two of these in another order; the batch is tried again.
            END;
        END LOOP;
        COMMIT;
    END LOOP;
END $$
'''


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('catalogue', '0011_change_indexes'),
    ]

    operations = [
        RunConcurrently([FILL.format(kind='skill')], migrations.RunSQL.noop),
        RunConcurrently([FILL.format(kind='persona')], migrations.RunSQL.noop),
    ]
