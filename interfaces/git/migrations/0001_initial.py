import django.db.models.deletion
from django.db import migrations, models


FORGOTTEN = '''
-- Deletes every repository whose history contains a purged version, with the objects that no other
-- repository has. The next fetch starts a new history.
CREATE OR REPLACE FUNCTION git_forgotten() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    gone bigint[];
BEGIN
    -- Wait for the commits that are being made; store.py takes the same lock, shared.
    PERFORM pg_advisory_xact_lock('git_repository'::regclass::oid::int, 0);
    gone := ARRAY(
        SELECT repository_id FROM git_held WHERE kind = TG_ARGV[0] AND version_id = NEW.id
    );
    IF gone <> '{}' THEN
        DELETE FROM git_held WHERE repository_id = ANY (gone);
        DELETE FROM git_presence WHERE repository_id = ANY (gone);
        DELETE FROM git_commit WHERE repository_id = ANY (gone);
        DELETE FROM git_repository WHERE id = ANY (gone);
        DELETE FROM git_object WHERE NOT EXISTS (
            SELECT FROM git_presence WHERE git_presence.sha = git_object.sha
        );
    END IF;
    RETURN NULL;
END $$;
'''

FORGETS = '''
-- A purged version has no title.
CREATE OR REPLACE TRIGGER git_{kind}_forgotten AFTER UPDATE OF title ON catalogue_{kind}version
    FOR EACH ROW WHEN (NEW.title = '' AND OLD.title <> '')
    EXECUTE FUNCTION git_forgotten('{kind}');
'''


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('catalogue', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='MarketplaceName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='Object',
            fields=[
                ('sha', models.BinaryField(primary_key=True, serialize=False)),
                ('size', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
                ('content', models.CharField(max_length=71, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('content__isnull', False)), fields=['content'], name='object_content')],
            },
        ),
        migrations.CreateModel(
            name='PluginVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('repository', models.CharField(max_length=32)),
                ('plugin', models.CharField(max_length=64)),
                ('number', models.PositiveIntegerField()),
                ('changes', models.PositiveIntegerField()),
                ('digest', models.CharField(max_length=64)),
                ('kind', models.CharField(max_length=10)),
                ('entry_id', models.BigIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('repository', 'plugin', 'number'), name='unique_plugin_number')],
            },
        ),
        migrations.CreateModel(
            name='Repository',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=32)),
                ('state', models.TextField(blank=True)),
                ('number', models.PositiveIntegerField(default=0)),
                ('head', models.BinaryField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('name',), name='unique_repository_name')],
            },
        ),
        migrations.CreateModel(
            name='Presence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first', models.PositiveIntegerField()),
                ('last', models.PositiveIntegerField()),
                ('sha', models.BinaryField()),
                ('repository', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='git.repository')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['repository', 'last', 'first'], name='presence_place'),
                    models.Index(fields=['sha'], name='presence_sha'),
                ],
                'constraints': [models.UniqueConstraint(fields=('repository', 'sha', 'first'), name='unique_presence')],
            },
        ),
        migrations.CreateModel(
            name='Held',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=7)),
                ('version_id', models.BigIntegerField()),
                ('repository', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='git.repository')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('kind', 'version_id', 'repository'), name='unique_held_version')],
            },
        ),
        migrations.CreateModel(
            name='Commit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('sha', models.BinaryField()),
                ('data', models.BinaryField()),
                ('version', models.PositiveIntegerField(null=True)),
                ('repository', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='git.repository')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('repository', 'number'), name='unique_commit_number'),
                    models.UniqueConstraint(fields=('repository', 'sha'), name='unique_commit_sha'),
                ],
            },
        ),
        migrations.RunSQL(FORGOTTEN, 'DROP FUNCTION git_forgotten CASCADE'),
        migrations.RunSQL(FORGETS.format(kind='skill'), migrations.RunSQL.noop),
        migrations.RunSQL(FORGETS.format(kind='persona'), migrations.RunSQL.noop),
    ]
