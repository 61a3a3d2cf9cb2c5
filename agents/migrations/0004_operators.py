import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0003_token_public_ids'),
    ]

    operations = [
        migrations.CreateModel(
            name='OperatorKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('hint', models.CharField(editable=False, max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('confirmed_at', models.DateTimeField(editable=False, null=True)),
                ('last_used_at', models.DateTimeField(editable=False, null=True)),
                ('revoked_at', models.DateTimeField(editable=False, null=True)),
                ('revocation_reason', models.CharField(blank=True, max_length=1000)),
            ],
            options={
                'verbose_name': 'operator',
                'ordering': ['-id'],
                'indexes': [
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('confirmed_at__isnull', False)), name='operator_key_confirmed'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revoked_at__isnull', False)), name='operator_key_revoked'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revocation_reason', 'Reported as leaked')), name='operator_key_leaked'),
                    models.Index(django.contrib.postgres.indexes.OpClass('hint', 'varchar_pattern_ops'), condition=models.Q(('confirmed_at__isnull', False)), name='operator_key_hint_start'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('digest',), name='unique_operator_key_digest'),
                ],
            },
        ),
        migrations.AddField(
            model_name='operatorclaim',
            name='key',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='claims', to='agents.operatorkey'),
        ),
        migrations.AddField(
            model_name='operatorclaim',
            name='scopes',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review')], max_length=16), db_default=[], default=list, editable=False, size=None),
        ),
        migrations.CreateModel(
            name='ClaimRenewal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operator_name', models.CharField(blank=True, max_length=80)),
                ('operator_email', models.EmailField(blank=True, max_length=254)),
                ('code_digest', models.CharField(blank=True, editable=False, max_length=64)),
                ('code_expires_at', models.DateTimeField(editable=False, null=True)),
                ('wrong_codes', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('claim', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='renewal', to='agents.operatorclaim')),
                ('key', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='agents.operatorkey')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddField(
            model_name='agent',
            name='limits',
            field=models.JSONField(db_default={}, default=dict, editable=False),
        ),
        migrations.AddField(
            model_name='agent',
            name='paused_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='historicalagent',
            name='limits',
            field=models.JSONField(db_default={}, default=dict, editable=False),
        ),
        migrations.AddField(
            model_name='historicalagent',
            name='operator',
            field=models.CharField(db_default='', default='', max_length=80),
        ),
        migrations.AddField(
            model_name='historicalagent',
            name='paused_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='historicalagenttoken',
            name='operator',
            field=models.CharField(db_default='', default='', max_length=80),
        ),
    ]
