from django.db import migrations


# Labels in NFC, and those that differ only in case in the spelling of the first published entry.
# Neither texts nor times change, so this makes no versions.
TEXTS = """
WITH first AS (
    SELECT DISTINCT ON (key) key, spelling
    FROM (
        SELECT lower(normalize({field}, NFC)) AS key, normalize({field}, NFC) AS spelling, id, status
        FROM catalogue_{kind} WHERE {field} <> ''
    ) AS label
    ORDER BY key, status <> 'published', id
)
UPDATE catalogue_{kind} AS entry SET {field} = spelling FROM first
WHERE key = lower(normalize(entry.{field}, NFC)) AND entry.{field} <> spelling
"""
LISTS = """
WITH label AS (
    SELECT id, status, place, normalize(label, NFC) AS spelling, lower(normalize(label, NFC)) AS key
    FROM catalogue_{kind}, unnest({field}) WITH ORDINALITY AS held (label, place)
),
first AS (
    SELECT DISTINCT ON (key) key, spelling FROM label
    ORDER BY key, status <> 'published', id, place
),
held AS (
    SELECT id, array_agg(spelling ORDER BY place)::varchar[] AS labels
    FROM (
        SELECT DISTINCT ON (id, key) id, place, first.spelling FROM label JOIN first USING (key)
        ORDER BY id, key, place
    ) AS once
    GROUP BY id
)
UPDATE catalogue_{kind} AS entry SET {field} = labels FROM held
WHERE held.id = entry.id AND entry.{field} <> labels
"""


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0008_label_keys'),
    ]

    operations = [
        migrations.RunSQL(sql.format(kind=kind, field=field), migrations.RunSQL.noop)
        for kind in ('skill', 'persona')
        for sql, fields in ((TEXTS, ('category', 'author', 'license')), (LISTS, ('tags', 'runtimes')))
        for field in fields
    ]
