import django.db.models.deletion
from django.db import migrations, models


STORED = r'''
-- Stores a text once, and returns the digest of its bytes.
CREATE OR REPLACE FUNCTION catalogue_stored(content text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE stored_digest text := catalogue_digest(content);
BEGIN
    INSERT INTO catalogue_filecontent (digest, data)
    VALUES (stored_digest, convert_to(content, 'UTF8')) ON CONFLICT DO NOTHING;
    RETURN stored_digest;
END $$;

-- A stored text or file never changes, and stays for as long as a version is of it.
CREATE OR REPLACE FUNCTION catalogue_filecontent_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (
        SELECT FROM catalogue_skillversion AS version
        WHERE (
            OLD.digest IN (content_digest, skill_md_digest)
            OR files @> jsonb_build_array(jsonb_build_object('digest', OLD.digest))
        ) AND NOT EXISTS (
            SELECT FROM catalogue_purge AS purge
            WHERE (purge.kind, purge.digest) = ('skill', version.digest)
        )
    ) AND NOT EXISTS (
        SELECT FROM catalogue_personaversion AS version
        WHERE content_digest = OLD.digest AND NOT EXISTS (
            SELECT FROM catalogue_purge AS purge
            WHERE (purge.kind, purge.digest) = ('persona', version.digest)
        )
    ) THEN
        RETURN OLD;
    END IF;
    RAISE 'A stored text never changes.' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER catalogue_filecontent_kept
    BEFORE UPDATE OR DELETE ON catalogue_filecontent
    FOR EACH ROW EXECUTE FUNCTION catalogue_filecontent_kept();
'''

SKILL_VERSIONS = r'''
-- The versions of skills; __init__.py fills in what is in braces.

-- Makes the next version of a published skill whose text is not that of its newest one, and keeps
-- its number. Writes of one skill take turns at its row, so that no number is used twice.
CREATE OR REPLACE FUNCTION catalogue_skill_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest catalogue_skillversion;
    -- Generated columns are computed after this.
    new_digest text := catalogue_digest(coalesce(nullif(NEW.skill_md, ''), NEW.content), NEW.files);
BEGIN
    NEW.number := CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.number END;
    IF NEW.status <> 'published' THEN
        RETURN NEW;
    END IF;
    SELECT * INTO newest FROM catalogue_skillversion
    WHERE skill_id = NEW.id AND number = NEW.number;
    IF newest.digest = new_digest AND newest.recalled_at IS NULL THEN
        RETURN NEW;
    END IF;
    IF EXISTS (
        SELECT FROM catalogue_skillversion
        WHERE skill_id = NEW.id AND digest = new_digest AND recalled_at IS NOT NULL
    ) THEN
        RAISE 'This text was recalled.'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'text_is_not_recalled';
    END IF;
    IF EXISTS (SELECT FROM catalogue_purge WHERE kind = 'skill' AND digest = new_digest) THEN
        RAISE 'This text was purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'text_is_not_purged';
    END IF;
    NEW.number := NEW.number + 1;
    INSERT INTO catalogue_skillversion (
        skill_id, number, version, title, description, digest, content_digest, context_tokens,
        created_at, skill_md_digest, files, archive_digest
    ) VALUES (
        NEW.id, NEW.number, NEW.version, NEW.title, NEW.description, new_digest,
        catalogue_stored(NEW.content), (length(NEW.content) + 3) / 4, now(), catalogue_stored(coalesce(nullif(NEW.skill_md, ''), NEW.content)), NEW.files, NEW.archive_digest
    );
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER catalogue_skill_numbered
    BEFORE INSERT OR UPDATE OF number, status, content, skill_md, files ON catalogue_skill
    FOR EACH ROW EXECUTE FUNCTION catalogue_skill_numbered();

-- A recall may be written, and lifted. A purge empties what may not be kept; its digest stays.
CREATE OR REPLACE FUNCTION catalogue_skill_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (to_jsonb(OLD) - '{recalled_at,recall_reason}'::text[])
            = (to_jsonb(NEW) - '{recalled_at,recall_reason}'::text[])
        THEN
            RETURN NEW;
        END IF;
        IF (OLD.skill_id, OLD.number, OLD.digest, '', '', '')
            = (NEW.skill_id, NEW.number, NEW.digest, NEW.version, NEW.title, NEW.description)
            AND EXISTS (SELECT FROM catalogue_purge WHERE kind = 'skill' AND digest = OLD.digest)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE 'A version never changes.' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER catalogue_skill_version_kept
    BEFORE UPDATE OR DELETE ON catalogue_skillversion
    FOR EACH ROW EXECUTE FUNCTION catalogue_skill_version_kept();
'''

PERSONA_VERSIONS = r'''
-- The versions of personas; __init__.py fills in what is in braces.

-- Makes the next version of a published persona whose text is not that of its newest one, and keeps
-- its number. Writes of one persona take turns at its row, so that no number is used twice.
CREATE OR REPLACE FUNCTION catalogue_persona_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest catalogue_personaversion;
    -- Generated columns are computed after this.
    new_digest text := catalogue_digest(NEW.content);
BEGIN
    NEW.number := CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.number END;
    IF NEW.status <> 'published' THEN
        RETURN NEW;
    END IF;
    SELECT * INTO newest FROM catalogue_personaversion
    WHERE persona_id = NEW.id AND number = NEW.number;
    IF newest.digest = new_digest AND newest.recalled_at IS NULL THEN
        RETURN NEW;
    END IF;
    IF EXISTS (
        SELECT FROM catalogue_personaversion
        WHERE persona_id = NEW.id AND digest = new_digest AND recalled_at IS NOT NULL
    ) THEN
        RAISE 'This text was recalled.'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'text_is_not_recalled';
    END IF;
    IF EXISTS (SELECT FROM catalogue_purge WHERE kind = 'persona' AND digest = new_digest) THEN
        RAISE 'This text was purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'text_is_not_purged';
    END IF;
    NEW.number := NEW.number + 1;
    INSERT INTO catalogue_personaversion (
        persona_id, number, version, title, description, digest, content_digest, context_tokens,
        created_at
    ) VALUES (
        NEW.id, NEW.number, NEW.version, NEW.title, NEW.description, new_digest,
        catalogue_stored(NEW.content), (length(NEW.content) + 3) / 4, now()
    );
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER catalogue_persona_numbered
    BEFORE INSERT OR UPDATE OF number, status, content ON catalogue_persona
    FOR EACH ROW EXECUTE FUNCTION catalogue_persona_numbered();

-- A recall may be written, and lifted. A purge empties what may not be kept; its digest stays.
CREATE OR REPLACE FUNCTION catalogue_persona_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (to_jsonb(OLD) - '{recalled_at,recall_reason}'::text[])
            = (to_jsonb(NEW) - '{recalled_at,recall_reason}'::text[])
        THEN
            RETURN NEW;
        END IF;
        IF (OLD.persona_id, OLD.number, OLD.digest, '', '', '')
            = (NEW.persona_id, NEW.number, NEW.digest, NEW.version, NEW.title, NEW.description)
            AND EXISTS (SELECT FROM catalogue_purge WHERE kind = 'persona' AND digest = OLD.digest)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE 'A version never changes.' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER catalogue_persona_version_kept
    BEFORE UPDATE OR DELETE ON catalogue_personaversion
    FOR EACH ROW EXECUTE FUNCTION catalogue_persona_version_kept();
'''

# What is published is number 1.
FIRST = r'''
INSERT INTO catalogue_{kind}version (
    {kind}_id, number, version, title, description, digest, content_digest, context_tokens,
    created_at{columns}
)
SELECT
    id, 1, version, title, description, digest, catalogue_stored(content), context_tokens,
    updated_at{values}
FROM catalogue_{kind} WHERE status = 'published' ORDER BY id;
UPDATE catalogue_{kind} SET number = 1 WHERE status = 'published'
'''
FIRST_SKILLS = FIRST.format(
    kind='skill',
    columns=', skill_md_digest, files, archive_digest',
    values=", catalogue_stored(coalesce(nullif(skill_md, ''), content)), files, archive_digest",
)
FIRST_PERSONAS = FIRST.format(kind='persona', columns='', values='')


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='persona',
            name='number',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name='skill',
            name='number',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.CreateModel(
            name='Purge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=7)),
                ('digest', models.CharField(max_length=71)),
                ('reason', models.CharField(max_length=1000)),
                ('purged_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('kind', 'digest'), name='unique_purge')],
            },
        ),
        migrations.CreateModel(
            name='PersonaVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('version', models.CharField(max_length=64)),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField()),
                ('digest', models.CharField(max_length=71)),
                ('content_digest', models.CharField(max_length=71)),
                ('context_tokens', models.IntegerField()),
                ('created_at', models.DateTimeField()),
                ('recalled_at', models.DateTimeField(null=True)),
                ('recall_reason', models.CharField(blank=True, db_default='', max_length=1000)),
                ('persona', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='catalogue.persona')),
            ],
            options={
                'ordering': ['-number'],
                'abstract': False,
                'constraints': [models.UniqueConstraint(models.F('persona'), models.OrderBy(models.F('number'), descending=True), name='unique_persona_number')],
            },
        ),
        migrations.CreateModel(
            name='SkillVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('version', models.CharField(max_length=64)),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField()),
                ('digest', models.CharField(max_length=71)),
                ('content_digest', models.CharField(max_length=71)),
                ('context_tokens', models.IntegerField()),
                ('created_at', models.DateTimeField()),
                ('recalled_at', models.DateTimeField(null=True)),
                ('recall_reason', models.CharField(blank=True, db_default='', max_length=1000)),
                ('skill_md_digest', models.CharField(max_length=71)),
                ('files', models.JSONField()),
                ('archive_digest', models.CharField(max_length=71)),
                ('skill', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='catalogue.skill')),
            ],
            options={
                'ordering': ['-number'],
                'abstract': False,
                'constraints': [models.UniqueConstraint(models.F('skill'), models.OrderBy(models.F('number'), descending=True), name='unique_skill_number')],
            },
        ),
        migrations.RunSQL(STORED, migrations.RunSQL.noop),
        migrations.RunSQL(FIRST_SKILLS, migrations.RunSQL.noop),
        migrations.RunSQL(FIRST_PERSONAS, migrations.RunSQL.noop),
        migrations.RunSQL(SKILL_VERSIONS, migrations.RunSQL.noop),
        migrations.RunSQL(PERSONA_VERSIONS, migrations.RunSQL.noop),
    ]
