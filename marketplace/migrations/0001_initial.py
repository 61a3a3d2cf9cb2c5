from django.db import migrations, models


RATE_COUNTS = '''
-- Counts are written with every counted request and worth nothing after their window: no log, and
-- room for the next version of a row beside it.
ALTER TABLE marketplace_ratecount SET UNLOGGED, SET (fillfactor = 50);
'''


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='History',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name='RateCount',
            fields=[
                ('key', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('count', models.IntegerField()),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.RunSQL(RATE_COUNTS, migrations.RunSQL.noop),
    ]
