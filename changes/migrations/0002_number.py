from django.db import migrations, models

NOTE = r'''
-- Notes what has become of an entry: its slug is published, or shows something else; any other
-- slug that it had is withdrawn. Once in a transaction is enough, unless the digest has changed.
CREATE OR REPLACE FUNCTION changes_note_{kind}(entry bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place timestamptz := changes_position();
    published text;
BEGIN
    SELECT slug INTO published FROM catalogue_{kind} WHERE id = entry AND status = 'published';
    UPDATE changes_change SET change = 'withdrawn', digest = NULL, number = NULL, changed_at = place
    WHERE kind = '{kind}' AND entry_id = entry AND change <> 'withdrawn'
        AND slug IS DISTINCT FROM published;
    INSERT INTO changes_change AS known (kind, entry_id, slug, change, digest, number, changed_at)
    SELECT '{kind}', entry, slug, 'published', digest, number, place
    FROM catalogue_{kind} WHERE id = entry AND status = 'published'
    ON CONFLICT (kind, slug) DO UPDATE SET
        entry_id = entry,
        change = CASE
            WHEN known.change = 'withdrawn' THEN 'published'
            WHEN known.changed_at = place THEN known.change
            ELSE 'updated'
        END,
        digest = excluded.digest,
        number = excluded.number,
        changed_at = place
    WHERE (known.entry_id, known.digest, known.number, known.changed_at)
        IS DISTINCT FROM (entry, excluded.digest, excluded.number, place);
END $$;
'''

KNOWN = '''
UPDATE changes_change SET number = (
    SELECT max(version.number) FROM catalogue_{kind}version AS version WHERE {kind}_id = entry_id
)
WHERE kind = '{kind}' AND change <> 'withdrawn'
'''


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0002_versions'),
        ('changes', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='change',
            name='number',
            field=models.PositiveIntegerField(null=True),
        ),
        *(
            migrations.RunSQL(sql.format(kind=kind), migrations.RunSQL.noop)
            for sql in (NOTE, KNOWN)
            for kind in ('skill', 'persona')
        ),
    ]
