import django.contrib.postgres.indexes
import django.db.models.deletion
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models


TRUST = '''
-- Trust ends with the operator who was known, or with a suspension, and does not come back by
-- itself: whatever writes these columns, staff have to set it again.
CREATE OR REPLACE FUNCTION submissions_end_trust() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE submissions_maintainer SET trusted_at = NULL
    WHERE trusted_at IS NOT NULL AND agent_id IN (
        SELECT NEW.id WHERE TG_TABLE_NAME = 'agents_agent'
        UNION ALL
        SELECT claim.agent_id FROM agents_operatorclaim AS claim
        WHERE (TG_TABLE_NAME = 'agents_operatorclaim' AND claim.id = NEW.id)
            OR (TG_TABLE_NAME = 'agents_operatorkey' AND claim.key_id = NEW.id)
    );
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER submissions_suspended
    AFTER UPDATE OF suspended_at ON agents_agent
    FOR EACH ROW WHEN (NEW.suspended_at IS NOT NULL)
    EXECUTE FUNCTION submissions_end_trust();

CREATE OR REPLACE TRIGGER submissions_claimed
    AFTER UPDATE OF claimed_at, key_id ON agents_operatorclaim
    FOR EACH ROW WHEN ((OLD.claimed_at, OLD.key_id) IS DISTINCT FROM (NEW.claimed_at, NEW.key_id))
    EXECUTE FUNCTION submissions_end_trust();

CREATE OR REPLACE TRIGGER submissions_key_ended
    AFTER UPDATE OF revoked_at ON agents_operatorkey
    FOR EACH ROW WHEN (NEW.revoked_at IS NOT NULL)
    EXECUTE FUNCTION submissions_end_trust();
'''

PURGED = '''
-- A purge erases the submitted bytes of its text, too, and nobody can publish them any more.
CREATE OR REPLACE FUNCTION submissions_purged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE submissions_submission
    SET content = NULL, archive = NULL, files = '[]', size = 0,
        state = CASE WHEN state = 'pending' THEN 'rejected' ELSE state END,
        reason = CASE WHEN state = 'pending' THEN 'This text was purged.' ELSE reason END,
        decided_at = CASE WHEN state = 'pending' THEN now() ELSE decided_at END
    WHERE kind = NEW.kind AND digest = NEW.digest AND content IS NOT NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER submissions_purged
    AFTER INSERT ON catalogue_purge
    FOR EACH ROW EXECUTE FUNCTION submissions_purged();
'''

SUBMITTED_VERSIONS = '''
-- Who submitted and who published a version is as immutable as the version.
CREATE OR REPLACE FUNCTION submissions_submittedversion_kept() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE 'Who submitted a version never changes.' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER submissions_submittedversion_kept
    BEFORE UPDATE OR DELETE ON submissions_submittedversion
    FOR EACH ROW EXECUTE FUNCTION submissions_submittedversion_kept();
'''

# What each role may do; the superuser may do everything.
ROLES = {
    'Editors': ['view_submission', 'change_submission', 'view_maintainer', 'change_maintainer'],
    'Moderators': ['view_submission', 'view_maintainer'],
}


def add_to_roles(apps, schema_editor):
    # Permissions are made after all migrations; these are needed now.
    config = apps.get_app_config('submissions')
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    permissions = apps.get_model('auth', 'Permission').objects.filter(content_type__app_label='submissions')
    for role, names in ROLES.items():
        group = apps.get_model('auth', 'Group').objects.get(name=role)
        group.permissions.add(*permissions.filter(codename__in=names))


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('agents', '0001_initial'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('catalogue', '0001_initial'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('reports', '0001_initial'),
        ('sources', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(blank=True, db_default='', max_length=500)),
                ('commit', models.CharField(blank=True, db_default='', max_length=40)),
                ('withdraws', models.BooleanField(db_default=False, default=False)),
                ('provenance', models.JSONField(null=True)),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('kind', models.CharField(choices=[('skill', 'Skills'), ('persona', 'Personas')], max_length=7)),
                ('slug', models.CharField(max_length=100)),
                ('note', models.CharField(blank=True, max_length=1000)),
                ('content', models.TextField(null=True)),
                ('files', models.JSONField(default=list)),
                ('archive', models.BinaryField(null=True)),
                ('size', models.PositiveIntegerField()),
                ('digest', models.CharField(max_length=71)),
                ('bytes_digest', models.CharField(max_length=71)),
                ('base_number', models.PositiveIntegerField(null=True)),
                ('base_digest', models.CharField(blank=True, max_length=71)),
                ('findings', models.JSONField(default=list)),
                ('changes_scripts', models.BooleanField(db_default=False, default=False)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('published', 'Published'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn'), ('replaced', 'Replaced')], default='pending', max_length=9)),
                ('reason', models.CharField(blank=True, max_length=1000)),
                ('number', models.PositiveIntegerField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('decided_at', models.DateTimeField(null=True)),
                ('agent', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='agents.agent')),
                ('decided_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('source', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='sources.source')),
                ('user', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(models.F('agent'), models.OrderBy(models.F('id'), descending=True), name='submission_of_agent'),
                    models.Index(models.F('kind'), models.F('slug'), models.OrderBy(models.F('id'), descending=True), name='submission_of_entry'),
                    models.Index(models.F('id'), condition=models.Q(('state', 'pending')), name='submission_pending'),
                    models.Index(models.F('state'), models.F('id'), name='submission_state'),
                    django.contrib.postgres.indexes.GinIndex(fields=['findings'], name='submission_findings', opclasses=['jsonb_path_ops']),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('content__isnull', False), ('state', 'rejected')), name='submission_rejected'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('public_id',), name='unique_submission_public_id'),
                    models.UniqueConstraint(condition=models.Q(('state', 'pending')), fields=('agent', 'kind', 'slug'), name='one_pending_submission_per_agent'),
                    models.UniqueConstraint(condition=models.Q(('state', 'pending')), fields=('user', 'kind', 'slug'), name='one_pending_submission_per_user'),
                    models.UniqueConstraint(condition=models.Q(('state', 'pending')), fields=('source', 'kind', 'path'), name='one_pending_submission_per_file'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'pending'), _negated=True), ('content__isnull', False), _connector='OR'), name='pending_submission_has_bytes'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'withdrawn', 'replaced']), ('decided_at__isnull', False), _connector='OR'), name='decided_submission_has_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SubmittedVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provenance', models.JSONField(null=True)),
                ('commit', models.CharField(blank=True, db_default='', max_length=40)),
                ('submitted_by', models.CharField(max_length=200)),
                ('published_by', models.CharField(blank=True, max_length=200)),
                ('published_at', models.DateTimeField(auto_now_add=True)),
                ('persona_version', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submitted', to='catalogue.personaversion')),
                ('skill_version', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submitted', to='catalogue.skillversion')),
                ('submission', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='version', to='submissions.submission')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('persona_version', None), ('skill_version__isnull', False)), models.Q(('persona_version__isnull', False), ('skill_version', None)), _connector='OR'), name='one_submitted_version')],
            },
        ),
        migrations.CreateModel(
            name='Maintainer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('trusted_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('removed_at', models.DateTimeField(editable=False, null=True)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='maintained', to='agents.agent')),
                ('persona', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='maintainers', to='catalogue.persona')),
                ('skill', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='maintainers', to='catalogue.skill')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('persona', None), ('skill__isnull', False)), models.Q(('persona__isnull', False), ('skill', None)), _connector='OR'), name='one_entry_per_maintainer'),
                    models.UniqueConstraint(fields=('skill', 'agent'), name='unique_skill_maintainer'),
                    models.UniqueConstraint(fields=('persona', 'agent'), name='unique_persona_maintainer'),
                    models.CheckConstraint(condition=models.Q(('trusted_at', None), ('removed_at', None), _connector='OR'), name='only_present_are_trusted'),
                ],
            },
        ),
        migrations.RunSQL(TRUST, 'DROP FUNCTION submissions_end_trust CASCADE'),
        migrations.RunSQL(PURGED, 'DROP FUNCTION submissions_purged CASCADE'),
        migrations.RunSQL(SUBMITTED_VERSIONS, 'DROP FUNCTION submissions_submittedversion_kept CASCADE'),
        migrations.RunPython(add_to_roles, migrations.RunPython.noop),
    ]
