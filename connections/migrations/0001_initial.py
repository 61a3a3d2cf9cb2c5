import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.datetime
from django.contrib.auth.management import create_permissions
from django.db import migrations, models


ENDS = '''
-- A connection ends in the transaction that ends what it rests on (contract 35.7), whatever statement
-- does that: its claim is released or taken over, or its key ends. A deleted agent releases its claim
-- and revokes its tokens. The tokens of connections are found by their agents, because an agent has
-- one claim and a claim one key: so the tables of connections are not read (contract 35.1).
-- In the order of their ids, so that two of these do not block each other.
CREATE OR REPLACE FUNCTION connections_end(reason text, agents bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE agents_agenttoken SET revoked_at = now(), revocation_reason = reason
    WHERE id IN (
        SELECT id
        FROM agents_agenttoken
        WHERE agent_id = ANY (agents) AND connection_id IS NOT NULL AND revoked_at IS NULL
        ORDER BY id
        FOR NO KEY UPDATE
    );
END $$;

CREATE OR REPLACE FUNCTION connections_end_of_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM connections_end('Its claim was released or taken over', ARRAY[NEW.agent_id]);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER connections_claim_ends
    AFTER UPDATE ON agents_operatorclaim
    FOR EACH ROW WHEN (
        OLD.claimed_at IS NOT NULL
        AND (OLD.claimed_at, OLD.key_id) IS DISTINCT FROM (NEW.claimed_at, NEW.key_id)
    )
    EXECUTE FUNCTION connections_end_of_claim();

CREATE OR REPLACE FUNCTION connections_end_of_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM connections_end(
        'Its operator key has ended',
        ARRAY(SELECT agent_id FROM agents_operatorclaim WHERE key_id = NEW.id)
    );
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER connections_key_ends
    AFTER UPDATE ON agents_operatorkey
    FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
    EXECUTE FUNCTION connections_end_of_key();
'''

# What each role may do; the superuser may do everything.
ROLES = {
    'Moderators': ['view_oauthclient', 'change_oauthclient', 'view_connection', 'change_connection'],
}


def add_to_roles(apps, schema_editor):
    # Permissions are made after all migrations; these are needed now.
    config = apps.get_app_config('connections')
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    permissions = apps.get_model('auth', 'Permission').objects.filter(content_type__app_label='connections')
    for role, names in ROLES.items():
        group = apps.get_model('auth', 'Group').objects.get(name=role)
        group.permissions.add(*permissions.filter(codename__in=names))


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('agents', '0001_initial'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('reports', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='OAuthClient',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('name', models.CharField(blank=True, max_length=80)),
                ('redirect_uris', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=2000), size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_used_at', models.DateTimeField(editable=False, null=True)),
                ('blocked_at', models.DateTimeField(editable=False, null=True)),
            ],
            options={
                'verbose_name': 'client',
                'ordering': ['-id'],
                'indexes': [
                    models.Index(django.db.models.functions.comparison.Coalesce(models.F('last_used_at'), models.F('created_at')), name='oauth_client_last_use'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('blocked_at__isnull', False)), name='oauth_client_blocked'),
                ],
                'constraints': [models.UniqueConstraint(fields=('public_id',), name='unique_oauth_client_public_id')],
            },
        ),
        migrations.CreateModel(
            name='Connection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review'), ('clone', 'Clone'), ('submit', 'Submit')], max_length=16), size=None)),
                ('family', models.CharField(editable=False, max_length=64)),
                ('refresh_digest', models.CharField(editable=False, max_length=64)),
                ('predecessors', models.JSONField(default=list, editable=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('expires_at', models.DateTimeField(editable=False)),
                ('claim', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='connections', to='agents.operatorclaim')),
                ('key', models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, related_name='connections', to='agents.operatorkey')),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='connections', to='connections.oauthclient')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['expires_at'], name='connection_expiry')],
                'constraints': [models.UniqueConstraint(fields=('family',), name='unique_connection_family')],
            },
        ),
        migrations.CreateModel(
            name='AuthorizationCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('install', 'Install'), ('review', 'Review'), ('clone', 'Clone'), ('submit', 'Submit')], max_length=16), size=None)),
                ('redirect_uri', models.CharField(max_length=2000)),
                ('code_challenge', models.CharField(max_length=128)),
                ('claimed_at', models.DateTimeField(editable=False)),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('page', models.CharField(editable=False, max_length=64)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('expires_at', models.DateTimeField(editable=False)),
                ('spent_at', models.DateTimeField(editable=False, null=True)),
                ('claim', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.operatorclaim')),
                ('key', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='agents.operatorkey')),
                ('connection', models.OneToOneField(editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='code', to='connections.connection')),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codes', to='connections.oauthclient')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('connection', None)), fields=['expires_at'], name='unused_code_expiry')],
                'constraints': [
                    models.UniqueConstraint(fields=('digest',), name='unique_authorization_code_digest'),
                    models.UniqueConstraint(fields=('page',), name='one_code_per_page'),
                ],
            },
        ),
        migrations.RunSQL(ENDS, 'DROP FUNCTION connections_end, connections_end_of_claim, connections_end_of_key CASCADE'),
        migrations.RunPython(add_to_roles, migrations.RunPython.noop),
    ]
