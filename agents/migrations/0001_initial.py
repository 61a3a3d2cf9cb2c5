import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import simple_history.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Agent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('handle', models.CharField(max_length=39, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z')])),
                ('name', models.CharField(blank=True, max_length=80)),
                ('description', models.CharField(blank=True, max_length=500)),
                ('runtime', models.CharField(blank=True, max_length=64)),
                ('tier', models.CharField(default='free', help_text='Which of the configured rate limits apply.', max_length=16)),
                ('suspended_at', models.DateTimeField(blank=True, null=True)),
                ('suspension_reason', models.CharField(blank=True, max_length=1000)),
                ('paused_at', models.DateTimeField(editable=False, null=True)),
                ('limits', models.JSONField(db_default={}, default=dict, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(django.contrib.postgres.indexes.OpClass('handle', 'varchar_pattern_ops'), name='agent_handle_start'), models.Index(django.contrib.postgres.indexes.OpClass(django.db.models.functions.text.Upper('name'), 'text_pattern_ops'), name='agent_name_start'), models.Index(models.F('created_at'), name='agent_created'), models.Index(models.F('tier'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('tier', 'free'), _negated=True), name='agent_tier'), models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('suspended_at__isnull', False)), name='agent_suspended'), models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('paused_at__isnull', False)), name='agent_paused')],
                'constraints': [models.UniqueConstraint(fields=('handle',), name='unique_agent_handle'), models.UniqueConstraint(fields=('public_id',), name='unique_agent_public_id')],
            },
        ),
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
                'indexes': [models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('confirmed_at__isnull', False)), name='operator_key_confirmed'), models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revoked_at__isnull', False)), name='operator_key_revoked'), models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revocation_reason', 'Reported as leaked')), name='operator_key_leaked'), models.Index(django.contrib.postgres.indexes.OpClass('hint', 'varchar_pattern_ops'), condition=models.Q(('confirmed_at__isnull', False)), name='operator_key_hint_start')],
                'constraints': [models.UniqueConstraint(fields=('digest',), name='unique_operator_key_digest')],
            },
        ),
        migrations.CreateModel(
            name='OperatorClaim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('secret', models.CharField(editable=False, max_length=32)),
                ('operator_name', models.CharField(blank=True, max_length=80)),
                ('operator_email', models.EmailField(blank=True, max_length=254)),
                ('code_digest', models.CharField(blank=True, editable=False, max_length=64)),
                ('claimed_at', models.DateTimeField(editable=False, null=True)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review')], max_length=16), db_default=[], default=list, editable=False, size=None)),
                ('agent', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='claim', to='agents.agent')),
                ('key', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='claims', to='agents.operatorkey')),
            ],
            options={
                'indexes': [
                    models.Index(django.db.models.functions.text.Lower('operator_email'), condition=models.Q(('operator_email', ''), _negated=True), name='claim_email'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('claimed_at', None), models.Q(('code_digest', ''), _negated=True)), name='claim_pending'),
                    models.Index(models.F('key'), condition=models.Q(('key__isnull', False)), name='claim_key'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('secret',), name='unique_claim_secret'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ClaimCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operator_name', models.CharField(max_length=80)),
                ('operator_email', models.EmailField(max_length=254)),
                ('code_digest', models.CharField(max_length=64)),
                ('code_expires_at', models.DateTimeField()),
                ('wrong_codes', models.PositiveSmallIntegerField(default=0)),
                ('claim', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codes', to='agents.operatorclaim')),
                ('key', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='agents.operatorkey')),
            ],
        ),
        migrations.CreateModel(
            name='AgentToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('name', models.CharField(blank=True, db_default='', max_length=80)),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('hint', models.CharField(editable=False, max_length=64)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review')], max_length=16), size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_used_at', models.DateTimeField(editable=False, null=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('revocation_reason', models.CharField(blank=True, db_default='', max_length=1000)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='agents.agent')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(django.contrib.postgres.indexes.OpClass('hint', 'varchar_pattern_ops'), name='token_hint_start'), models.Index(django.db.models.functions.text.Right('hint', 4), name='token_hint_end'), models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revoked_at__isnull', False)), name='token_revoked'), models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revocation_reason', 'Reported as leaked')), name='token_leaked')],
                'constraints': [models.UniqueConstraint(fields=('digest',), name='unique_token_digest'), models.UniqueConstraint(fields=('public_id',), name='unique_token_public_id')],
            },
        ),
        migrations.CreateModel(
            name='HistoricalAgent',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('operator', models.CharField(db_default='', default='', max_length=80)),
                ('handle', models.CharField(max_length=39, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z')])),
                ('name', models.CharField(blank=True, max_length=80)),
                ('description', models.CharField(blank=True, max_length=500)),
                ('runtime', models.CharField(blank=True, max_length=64)),
                ('tier', models.CharField(default='free', help_text='Which of the configured rate limits apply.', max_length=16)),
                ('suspended_at', models.DateTimeField(blank=True, null=True)),
                ('suspension_reason', models.CharField(blank=True, max_length=1000)),
                ('paused_at', models.DateTimeField(editable=False, null=True)),
                ('limits', models.JSONField(db_default={}, default=dict, editable=False)),
                ('history_change_reason', models.TextField(default='')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'historical agent',
                'verbose_name_plural': 'historical agents',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalAgentToken',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('operator', models.CharField(db_default='', default='', max_length=80)),
                ('name', models.CharField(blank=True, db_default='', max_length=80)),
                ('hint', models.CharField(editable=False, max_length=64)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review')], max_length=16), size=None)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('revocation_reason', models.CharField(blank=True, db_default='', max_length=1000)),
                ('history_change_reason', models.TextField(default='')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('agent', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='agents.agent')),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'historical agent token',
                'verbose_name_plural': 'historical agent tokens',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
    ]
