from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parents[1] / 'sql'


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0016_count'),
    ]

    operations = [
        migrations.RunSQL((SQL / 'popularity.sql').read_text(), migrations.RunSQL.noop),
    ]
