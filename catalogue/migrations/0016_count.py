from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parents[1] / 'sql'


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0015_zero_result_search'),
    ]

    operations = [
        migrations.RunSQL((SQL / 'facet_value_count.sql').read_text(), migrations.RunSQL.noop),
    ]
