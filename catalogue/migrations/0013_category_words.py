from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parents[1] / 'sql'


def run(name):
    return migrations.RunSQL((SQL / name).read_text(), migrations.RunSQL.noop)


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0012_changes_so_far'),
    ]

    operations = [
        # Its triggers lock both tables, so that no other transaction counts an entry by both rules.
        run('popularity.sql'),
        run('popularity_triggers.sql'),
        run('category_words.sql'),
    ]
