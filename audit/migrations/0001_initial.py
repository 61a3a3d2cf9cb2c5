import django.contrib.postgres.indexes
import django.db.models.functions.datetime
from django.db import migrations, models


EVENTS = '''
-- The audit trail (contract 33): its events never change, and a reader passes none by.

CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('audit.pruning', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE 'The audit trail never changes. Only manage.py prune_audit deletes from it.'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER audit_auditevent_kept
    BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

-- A transaction that inserts holds a lock, until its commit is visible or it has rolled back. The
-- lock names an id below all that it gets, because the trigger of a statement runs before the
-- sequence gives an id to any of its rows. The lock is shared: nobody waits for it.
CREATE OR REPLACE FUNCTION audit_open_ids() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_id bigint := coalesce(pg_sequence_last_value('audit_auditevent_id_seq'), 0);
BEGIN
    IF nullif(current_setting('audit.has_open_ids', true), '') IS NULL THEN
        PERFORM pg_advisory_xact_lock_shared(
            'audit_auditevent'::regclass::oid::int, (last_id % (1::bigint << 31))::int
        );
        PERFORM set_config('audit.has_open_ids', 'yes', true);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER audit_auditevent_open
    BEFORE INSERT ON audit_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION audit_open_ids();
'''


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='AuditDraft',
            fields=[
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('actor_kind', models.CharField(choices=[('staff', 'Staff'), ('operator', 'Operator'), ('agent', 'Agent'), ('command', 'Command'), ('system', 'System')], max_length=8, verbose_name='actor')),
                ('actor_name', models.CharField(blank=True, max_length=200, verbose_name='name')),
                ('action', models.CharField(max_length=80)),
                ('object_kind', models.CharField(blank=True, max_length=80, verbose_name='of')),
                ('object_name', models.CharField(blank=True, max_length=200, verbose_name='object')),
                ('address', models.CharField(blank=True, max_length=64)),
                ('request_id', models.CharField(blank=True, max_length=64, verbose_name='request ID')),
                ('details', models.JSONField(default=dict)),
                ('key', models.UUIDField(primary_key=True, serialize=False)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('actor_kind', models.CharField(choices=[('staff', 'Staff'), ('operator', 'Operator'), ('agent', 'Agent'), ('command', 'Command'), ('system', 'System')], max_length=8, verbose_name='actor')),
                ('actor_name', models.CharField(blank=True, max_length=200, verbose_name='name')),
                ('action', models.CharField(max_length=80)),
                ('object_kind', models.CharField(blank=True, max_length=80, verbose_name='of')),
                ('object_name', models.CharField(blank=True, max_length=200, verbose_name='object')),
                ('address', models.CharField(blank=True, max_length=64)),
                ('request_id', models.CharField(blank=True, max_length=64, verbose_name='request ID')),
                ('details', models.JSONField(default=dict)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(models.F('actor_kind'), models.OrderBy(models.F('id'), descending=True), name='audit_actor_kind'),
                    models.Index(models.F('actor_name'), models.OrderBy(models.F('id'), descending=True), name='audit_actor_name'),
                    models.Index(models.F('action'), models.OrderBy(models.F('id'), descending=True), name='audit_action'),
                    models.Index(models.F('object_name'), models.OrderBy(models.F('id'), descending=True), name='audit_object_name'),
                    models.Index(models.F('address'), models.OrderBy(models.F('id'), descending=True), name='audit_address'),
                    models.Index(models.F('request_id'), models.OrderBy(models.F('id'), descending=True), name='audit_request_id'),
                    models.Index(models.F('at'), name='audit_at'),
                    django.contrib.postgres.indexes.GinIndex(fields=['details'], name='audit_details', opclasses=['jsonb_path_ops']),
                ],
            },
        ),
        migrations.RunSQL(EVENTS, 'DROP FUNCTION audit_refuse, audit_open_ids CASCADE'),
    ]
