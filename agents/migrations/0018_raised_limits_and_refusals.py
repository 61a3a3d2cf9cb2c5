import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

REFUSALS = '''
-- Refusals are counted often and kept for a day. So the table is not logged, and its pages leave
-- room for the next version of each row.
ALTER TABLE agents_refusal SET UNLOGGED, SET (fillfactor = 50);
'''


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0017_indexes_of_names'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Refusal',
            fields=[
                ('key', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('status', models.PositiveSmallIntegerField()),
                ('text', models.CharField(max_length=200)),
                ('number', models.PositiveIntegerField()),
                ('first_at', models.DateTimeField(db_index=True)),
                ('last_at', models.DateTimeField()),
                ('agent', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='refusals', to='agents.agent')),
            ],
            options={
                'ordering': ['-last_at'],
            },
        ),
        migrations.CreateModel(
            name='RaisedLimit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('policy', models.CharField(max_length=32)),
                ('limit', models.PositiveIntegerField()),
                ('until', models.DateTimeField(null=True)),
                ('note', models.CharField(max_length=200)),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='raised_limits', to='agents.agent')),
                ('author', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['policy'],
                'constraints': [models.UniqueConstraint(fields=('agent', 'policy'), name='unique_raised_limit')],
            },
        ),
        migrations.RunSQL(REFUSALS, migrations.RunSQL.noop),
    ]
