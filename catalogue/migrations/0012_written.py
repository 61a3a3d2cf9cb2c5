from django.db import migrations

WRITTEN = r'''
-- What somebody wrote, whatever the newlines and the byte order mark, which earlier releases left
-- out when they imported a file.
CREATE OR REPLACE FUNCTION catalogue_written(content text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT replace(
        replace(regexp_replace(content, '^\uFEFF', ''), E'\r\n', E'\n'), E'\r', E'\n'
    )
$$;
'''

SKILLS = r'''
-- Why a skill may not be published with a text: the name of the constraint, or NULL. `written` is
-- the digest of what staff wrote. The text that agents get may differ, by a name or a description.
CREATE OR REPLACE FUNCTION catalogue_skill_refusal(
    entry bigint, text_digest text, written text DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN EXISTS (
            SELECT FROM catalogue_skill
            WHERE id = entry AND status = 'published' AND digest = text_digest
        ) THEN NULL
        WHEN EXISTS (
            SELECT FROM catalogue_purge WHERE kind = 'skill' AND digest IN (text_digest, written)
        ) AND NOT EXISTS (
            -- It has the text already, which somebody has purged from another skill.
            SELECT FROM catalogue_skill AS skill
            WHERE id = entry AND status = 'published' AND catalogue_digest(catalogue_written(skill.content), skill.files) = written
        ) THEN 'text_is_not_purged'
        WHEN EXISTS (
            SELECT FROM catalogue_skillversion
            WHERE skill_id = entry AND digest = text_digest AND recalled_at IS NOT NULL
        ) OR EXISTS (
            -- The same was recalled with another name or with other repairs, and never without.
            SELECT FROM catalogue_skillversion AS version
            JOIN catalogue_filecontent AS stored ON stored.digest IN (content_digest, skill_md_digest)
            WHERE skill_id = entry AND recalled_at IS NOT NULL AND catalogue_digest(catalogue_written(convert_from(stored.data, 'UTF8')), version.files) = written
        ) AND NOT EXISTS (
            SELECT FROM catalogue_skillversion AS version
            JOIN catalogue_filecontent AS stored ON stored.digest = content_digest
            WHERE skill_id = entry AND recalled_at IS NULL AND catalogue_digest(catalogue_written(convert_from(stored.data, 'UTF8')), version.files) = written
        ) THEN 'text_is_not_recalled'
    END
$$;

-- Sets what follows from the text of a skill, whatever the statement says: digest, context tokens
-- and number. If the skill is published and its text differs from its newest version, creates the
-- next one. Writes to one skill take turns at its row, so no number is used twice.
--
-- Generated columns would be computed again at each update, because of this trigger, and each
-- install updates a counter.
CREATE OR REPLACE FUNCTION catalogue_skill_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest_digest text;
    refusal text;
BEGIN
    NEW.digest := catalogue_digest(coalesce(nullif(NEW.skill_md, ''), NEW.content), NEW.files);
    NEW.context_tokens := (length(NEW.content) + 3) / 4;
    NEW.number := CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.number END;
    IF NEW.status <> 'published' THEN
        RETURN NEW;
    END IF;
    -- A purge waits for all texts that are being published, and they wait for it.
    PERFORM pg_advisory_xact_lock_shared('catalogue_purge'::regclass::oid::int, 0);
    refusal := catalogue_skill_refusal(NEW.id, NEW.digest, catalogue_digest(catalogue_written(NEW.content), NEW.files));
    IF refusal IS NOT NULL THEN
        RAISE 'This text was recalled or purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = refusal;
    END IF;
    SELECT digest INTO newest_digest FROM catalogue_skillversion
    WHERE skill_id = NEW.id AND number = NEW.number;
    IF newest_digest = NEW.digest THEN
        RETURN NEW;
    END IF;
    NEW.number := NEW.number + 1;
    INSERT INTO catalogue_skillversion (
        skill_id, number, version, title, description, digest, content_digest, context_tokens,
        created_at, skill_md_digest, files, archive_digest
    ) VALUES (
        NEW.id, NEW.number, NEW.version, NEW.title, NEW.description, NEW.digest,
        catalogue_stored(NEW.content), NEW.context_tokens, now(), catalogue_stored(coalesce(nullif(NEW.skill_md, ''), NEW.content)), NEW.files, NEW.archive_digest
    );
    RETURN NEW;
END $$;
'''

PERSONAS = r'''
-- Why a persona may not be published with a text: the name of the constraint, or NULL. `written` is
-- the digest of what staff wrote. The text that agents get may differ, by a name or a description.
CREATE OR REPLACE FUNCTION catalogue_persona_refusal(
    entry bigint, text_digest text, written text DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN EXISTS (
            SELECT FROM catalogue_persona
            WHERE id = entry AND status = 'published' AND digest = text_digest
        ) THEN NULL
        WHEN EXISTS (
            SELECT FROM catalogue_purge WHERE kind = 'persona' AND digest IN (text_digest, written)
        ) AND NOT EXISTS (
            -- It has the text already, which somebody has purged from another persona.
            SELECT FROM catalogue_persona AS persona
            WHERE id = entry AND status = 'published' AND catalogue_digest(rtrim(catalogue_written(persona.content), E'\n')) = written
        ) THEN 'text_is_not_purged'
        WHEN EXISTS (
            SELECT FROM catalogue_personaversion
            WHERE persona_id = entry AND digest = text_digest AND recalled_at IS NOT NULL
        ) OR EXISTS (
            -- The same was recalled with another name or with other repairs, and never without.
            SELECT FROM catalogue_personaversion AS version
            JOIN catalogue_filecontent AS stored ON stored.digest IN (content_digest)
            WHERE persona_id = entry AND recalled_at IS NOT NULL AND catalogue_digest(rtrim(catalogue_written(version.frontmatter || convert_from(stored.data, 'UTF8')), E'\n')) = written
        ) AND NOT EXISTS (
            SELECT FROM catalogue_personaversion AS version
            JOIN catalogue_filecontent AS stored ON stored.digest = content_digest
            WHERE persona_id = entry AND recalled_at IS NULL AND catalogue_digest(rtrim(catalogue_written(convert_from(stored.data, 'UTF8')), E'\n')) = written
        ) THEN 'text_is_not_recalled'
    END
$$;

-- Sets what follows from the text of a persona, whatever the statement says: digest, context tokens
-- and number. If the persona is published and its text differs from its newest version, creates the
-- next one. Writes to one persona take turns at its row, so no number is used twice.
--
-- Generated columns would be computed again at each update, because of this trigger, and each
-- install updates a counter.
CREATE OR REPLACE FUNCTION catalogue_persona_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest_digest text;
    refusal text;
BEGIN
    NEW.digest := catalogue_digest(NEW.frontmatter || NEW.content);
    NEW.context_tokens := (length(NEW.content) + 3) / 4;
    NEW.number := CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.number END;
    IF NEW.status <> 'published' THEN
        RETURN NEW;
    END IF;
    -- A purge waits for all texts that are being published, and they wait for it.
    PERFORM pg_advisory_xact_lock_shared('catalogue_purge'::regclass::oid::int, 0);
    refusal := catalogue_persona_refusal(NEW.id, NEW.digest, catalogue_digest(rtrim(catalogue_written(NEW.content), E'\n')));
    IF refusal IS NOT NULL THEN
        RAISE 'This text was recalled or purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = refusal;
    END IF;
    SELECT digest INTO newest_digest FROM catalogue_personaversion
    WHERE persona_id = NEW.id AND number = NEW.number;
    IF newest_digest = NEW.digest THEN
        RETURN NEW;
    END IF;
    NEW.number := NEW.number + 1;
    INSERT INTO catalogue_personaversion (
        persona_id, number, version, title, description, digest, content_digest, context_tokens,
        created_at, frontmatter
    ) VALUES (
        NEW.id, NEW.number, NEW.version, NEW.title, NEW.description, NEW.digest,
        catalogue_stored(NEW.content), NEW.context_tokens, now(), NEW.frontmatter
    );
    RETURN NEW;
END $$;
'''


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0011_frontmatter'),
    ]

    operations = [
        migrations.RunSQL(WRITTEN, migrations.RunSQL.noop),
        migrations.RunSQL(SKILLS, migrations.RunSQL.noop),
        migrations.RunSQL(PERSONAS, migrations.RunSQL.noop),
    ]
