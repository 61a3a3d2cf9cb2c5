import functools

from django.db import migrations, models

import marketplace.models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='agenttoken',
            name='name',
            field=models.CharField(blank=True, db_default='', max_length=80),
        ),
        migrations.AddField(
            model_name='agenttoken',
            name='revocation_reason',
            field=models.CharField(blank=True, db_default='', max_length=1000),
        ),
        migrations.AddField(
            model_name='historicalagenttoken',
            name='name',
            field=models.CharField(blank=True, db_default='', max_length=80),
        ),
        migrations.AddField(
            model_name='historicalagenttoken',
            name='revocation_reason',
            field=models.CharField(blank=True, db_default='', max_length=1000),
        ),
        # Empty at first: with a random default PostgreSQL would rewrite the locked table.
        migrations.AddField(
            model_name='agenttoken',
            name='public_id',
            field=models.CharField(db_default='', editable=False, max_length=40),
        ),
        migrations.AlterField(
            model_name='agenttoken',
            name='public_id',
            field=models.CharField(
                db_default=models.Func(
                    output_field=models.CharField(),
                    template="'token_' || replace(gen_random_uuid()::text, '-', '')",
                ),
                default=functools.partial(marketplace.models.make_public_id, 'token'),
                editable=False,
                max_length=40,
            ),
        ),
    ]
