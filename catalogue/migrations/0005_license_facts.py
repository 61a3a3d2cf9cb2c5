from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parents[1] / 'sql'
# What the first migration has made of entry_triggers.sql, without the license.
DROP = '''
    DROP TRIGGER catalogue_{kind}_added ON catalogue_{kind};
    DROP TRIGGER catalogue_{kind}_removed ON catalogue_{kind};
    DROP TRIGGER catalogue_{kind}_edited ON catalogue_{kind};
    DROP TRIGGER catalogue_version_added ON catalogue_{kind};
    DROP TRIGGER catalogue_version_removed ON catalogue_{kind};
    DROP TRIGGER catalogue_version_edited ON catalogue_{kind};
    DROP VIEW catalogue_{kind}fact;
'''


def triggers_of(kind, *more, is_free):
    facts = ['title', 'slug', 'tags', 'description', 'category', 'runtimes', 'author', 'license']
    written = [*facts, 'status', *more]
    values = {
        'kind': kind,
        'columns': ', '.join([*(f'entry.{name}' for name in facts), is_free]),
        'written': ', '.join(written),
        'old': ', '.join(f'OLD.{name}' for name in written),
        'new': ', '.join(f'NEW.{name}' for name in written),
    }
    text = DROP + (SQL / 'entry_triggers.sql').read_text()
    return migrations.RunSQL(text.format(**values), migrations.RunSQL.noop)


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0004_files'),
    ]

    operations = [
        migrations.RunSQL((SQL / 'license_facts.sql').read_text(), migrations.RunSQL.noop),
        triggers_of('skill', is_free='NULL'),
        triggers_of('persona', 'price_cents', is_free='entry.price_cents = 0'),
    ]
