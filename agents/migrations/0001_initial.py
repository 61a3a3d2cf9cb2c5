import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.text
import simple_history.models
from django.conf import settings
from django.db import migrations, models


LEAKED = '''
-- Whoever finds a secret may revoke it (contract 15.10), and the response must not tell whether it
-- exists. So one statement does it for all texts, and triggers record it in the audit trail.
CREATE OR REPLACE FUNCTION agents_record_leak() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_auditevent
        (actor_kind, actor_name, action, object_kind, object_name, address, request_id, details)
    VALUES (
        'system', '', 'revoke_leaked', replace(TG_TABLE_NAME, 'agents_', ''), NEW.hint,
        coalesce(current_setting('audit.address', true), ''),
        coalesce(current_setting('audit.request_id', true), ''),
        jsonb_build_object('message', NEW.revocation_reason || '.')
    );
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER agents_agenttoken_leaked
    AFTER UPDATE OF revoked_at ON agents_agenttoken
    FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revocation_reason = 'Reported as leaked')
    EXECUTE FUNCTION agents_record_leak();

CREATE OR REPLACE TRIGGER agents_operatorkey_leaked
    AFTER UPDATE OF revoked_at ON agents_operatorkey
    FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revocation_reason = 'Reported as leaked')
    EXECUTE FUNCTION agents_record_leak();

CREATE OR REPLACE TRIGGER agents_invitation_leaked
    AFTER UPDATE OF revoked_at ON agents_invitation
    FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revocation_reason = 'Reported as leaked')
    EXECUTE FUNCTION agents_record_leak();
'''

REFUSALS = '''
-- Refusals are counted often and kept for a day. So the table is not logged, and its pages leave
-- room for the next version of each row.
ALTER TABLE agents_refusal SET UNLOGGED, SET (fillfactor = 50);
'''


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('audit', '0001_initial'),
        ('catalogue', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('hint', models.CharField(editable=False, max_length=64)),
                ('uses', models.PositiveIntegerField(default=1)),
                ('used', models.PositiveIntegerField(default=0, editable=False)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review'), ('clone', 'Clone'), ('submit', 'Submit')], max_length=16), size=None)),
                ('tier', models.CharField(default='free', max_length=16)),
                ('note', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(editable=False, null=True)),
                ('revocation_reason', models.CharField(blank=True, max_length=1000)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(django.contrib.postgres.indexes.OpClass('hint', 'varchar_pattern_ops'), name='invitation_hint_start'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revoked_at__isnull', False)), name='invitation_revoked'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revocation_reason', 'Reported as leaked')), name='invitation_leaked'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('digest',), name='unique_invitation_digest'),
                    models.CheckConstraint(condition=models.Q(('used__lte', models.F('uses'))), name='invitation_spent_at_most_its_uses'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Agent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('handle', models.CharField(max_length=39)),
                ('name', models.CharField(blank=True, max_length=80)),
                ('description', models.CharField(blank=True, max_length=500)),
                ('runtime', models.CharField(blank=True, max_length=64)),
                ('tier', models.CharField(default='free', help_text='The rate limits that apply to the agent.', max_length=16)),
                ('suspended_at', models.DateTimeField(blank=True, null=True)),
                ('suspension_reason', models.CharField(blank=True, max_length=1000)),
                ('deleted_at', models.DateTimeField(editable=False, null=True)),
                ('paused_at', models.DateTimeField(editable=False, null=True)),
                ('limits', models.JSONField(db_default={}, default=dict, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('invitation', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='agents', to='agents.invitation')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func(django.db.models.functions.text.Concat('handle', models.Value(' '), 'name'), function='catalogue_plain', output_field=models.TextField()), config='simple'), name='agent_words'),
                    models.Index(models.F('created_at'), name='agent_created'),
                    models.Index(models.F('tier'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('tier', 'free'), _negated=True), name='agent_tier'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('suspended_at__isnull', False)), name='agent_suspended'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('paused_at__isnull', False)), name='agent_paused'),
                    models.Index(models.F('invitation'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('invitation__isnull', False)), name='agent_invited'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('handle',), name='unique_agent_handle'),
                    models.UniqueConstraint(fields=('public_id',), name='unique_agent_public_id'),
                ],
            },
        ),
        migrations.CreateModel(
            name='HistoricalAgent',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('operator', models.CharField(db_default='', default='', max_length=80)),
                ('handle', models.CharField(max_length=39)),
                ('name', models.CharField(blank=True, max_length=80)),
                ('description', models.CharField(blank=True, max_length=500)),
                ('runtime', models.CharField(blank=True, max_length=64)),
                ('tier', models.CharField(default='free', help_text='The rate limits that apply to the agent.', max_length=16)),
                ('suspended_at', models.DateTimeField(blank=True, null=True)),
                ('suspension_reason', models.CharField(blank=True, max_length=1000)),
                ('deleted_at', models.DateTimeField(editable=False, null=True)),
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
                ('hint', models.CharField(editable=False, max_length=64)),
                ('operator', models.CharField(db_default='', default='', max_length=80)),
                ('name', models.CharField(blank=True, db_default='', max_length=80)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review'), ('clone', 'Clone'), ('submit', 'Submit')], max_length=16), size=None)),
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
        migrations.CreateModel(
            name='OperatorKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('hint', models.CharField(editable=False, max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('confirmed_at', models.DateTimeField(editable=False, null=True)),
                ('last_used_at', models.DateTimeField(editable=False, null=True)),
                ('verified_at', models.DateTimeField(editable=False, null=True)),
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
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review'), ('clone', 'Clone'), ('submit', 'Submit')], max_length=16), db_default=[], default=list, editable=False, size=None)),
                ('agent', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='claim', to='agents.agent')),
                ('key', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='claims', to='agents.operatorkey')),
            ],
            options={
                'indexes': [
                    models.Index(django.db.models.functions.text.Lower('operator_email'), condition=models.Q(('operator_email', ''), _negated=True), name='claim_email'),
                    django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func('operator_name', function='catalogue_plain', output_field=models.TextField()), config='simple'), condition=models.Q(('operator_email', ''), _negated=True), name='claim_words'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('claimed_at', None), models.Q(('code_digest', ''), _negated=True)), name='claim_pending'),
                    models.Index(models.F('key'), condition=models.Q(('key__isnull', False)), name='claim_key'),
                ],
                'constraints': [models.UniqueConstraint(fields=('secret',), name='unique_claim_secret')],
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
            name='RaisedLimit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('policy', models.CharField(max_length=32)),
                ('requests', models.PositiveIntegerField()),
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
            name='AgentToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('hint', models.CharField(editable=False, max_length=64)),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('name', models.CharField(blank=True, db_default='', max_length=80)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review'), ('clone', 'Clone'), ('submit', 'Submit')], max_length=16), size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_used_at', models.DateTimeField(editable=False, null=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('revocation_reason', models.CharField(blank=True, db_default='', max_length=1000)),
                ('provenance', models.JSONField(editable=False, null=True)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='agents.agent')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(django.contrib.postgres.indexes.OpClass('hint', 'varchar_pattern_ops'), name='token_hint_start'),
                    models.Index(django.db.models.functions.text.Right('hint', 4), name='token_hint_end'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revoked_at__isnull', False)), name='token_revoked'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('revocation_reason', 'Reported as leaked')), name='token_leaked'),
                    models.Index(condition=models.Q(('provenance__isnull', False)), fields=['expires_at'], name='token_of_run_expiry'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('digest',), name='unique_token_digest'),
                    models.UniqueConstraint(fields=('public_id',), name='unique_token_public_id'),
                ],
            },
        ),
        migrations.RunSQL(LEAKED, 'DROP FUNCTION agents_record_leak CASCADE'),
        migrations.RunSQL(REFUSALS, migrations.RunSQL.noop),
    ]
