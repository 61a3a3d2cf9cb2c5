from django.db import migrations


STORED = r'''
-- A stored text or file never changes, and stays for as long as a version is of it. A version that
-- was purged has no title.
CREATE OR REPLACE FUNCTION catalogue_filecontent_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (
        SELECT FROM catalogue_skillversion
        WHERE (
            OLD.digest IN (content_digest, skill_md_digest)
            OR files @> jsonb_build_array(jsonb_build_object('digest', OLD.digest))
        ) AND title <> ''
    ) AND NOT EXISTS (
        SELECT FROM catalogue_personaversion
        WHERE content_digest = OLD.digest AND title <> ''
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
-- Why a skill may not be published with a text: the name of the constraint, or NULL.
CREATE OR REPLACE FUNCTION catalogue_skill_refusal(entry bigint, text_digest text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT CASE
        -- It has the text already, which somebody has purged from another skill.
        WHEN EXISTS (
            SELECT FROM catalogue_skill
            WHERE id = entry AND status = 'published' AND digest = text_digest
        ) THEN NULL
        WHEN EXISTS (
            SELECT FROM catalogue_purge WHERE kind = 'skill' AND digest = text_digest
        ) THEN 'text_is_not_purged'
        WHEN EXISTS (
            SELECT FROM catalogue_skillversion
            WHERE skill_id = entry AND digest = text_digest AND recalled_at IS NOT NULL
        ) THEN 'text_is_not_recalled'
    END
$$;

-- Makes the next version of a published skill whose text is not that of its newest one, and keeps
-- its number. Writes of one skill take turns at its row, so that no number is used twice.
CREATE OR REPLACE FUNCTION catalogue_skill_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest_digest text;
    -- Generated columns are computed after this.
    new_digest text := catalogue_digest(coalesce(nullif(NEW.skill_md, ''), NEW.content), NEW.files);
    refusal text;
BEGIN
    NEW.number := CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.number END;
    IF NEW.status <> 'published' THEN
        RETURN NEW;
    END IF;
    -- A purge waits for all texts that are being published, and they wait for it.
    PERFORM pg_advisory_xact_lock_shared('catalogue_purge'::regclass::oid::int, 0);
    refusal := catalogue_skill_refusal(NEW.id, new_digest);
    IF refusal IS NOT NULL THEN
        RAISE 'This text was recalled or purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = refusal;
    END IF;
    SELECT digest INTO newest_digest FROM catalogue_skillversion
    WHERE skill_id = NEW.id AND number = NEW.number;
    IF newest_digest = new_digest THEN
        RETURN NEW;
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

-- A recall may be written, and lifted. A purge empties what may not be kept, for good; its digest
-- stays.
CREATE OR REPLACE FUNCTION catalogue_skill_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (to_jsonb(OLD) - '{recalled_at,recall_reason}'::text[])
            = (to_jsonb(NEW) - '{recalled_at,recall_reason}'::text[])
            AND (OLD.title <> '' OR NEW.recalled_at IS NOT NULL)
        THEN
            RETURN NEW;
        END IF;
        IF (to_jsonb(OLD) - '{recalled_at,recall_reason,version,title,description,files}'::text[])
            = (to_jsonb(NEW) - '{recalled_at,recall_reason,version,title,description,files}'::text[])
            AND (NEW.version, NEW.title, NEW.description) = ('', '', '')
            AND NEW.recalled_at IS NOT NULL
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
-- Why a persona may not be published with a text: the name of the constraint, or NULL.
CREATE OR REPLACE FUNCTION catalogue_persona_refusal(entry bigint, text_digest text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT CASE
        -- It has the text already, which somebody has purged from another persona.
        WHEN EXISTS (
            SELECT FROM catalogue_persona
            WHERE id = entry AND status = 'published' AND digest = text_digest
        ) THEN NULL
        WHEN EXISTS (
            SELECT FROM catalogue_purge WHERE kind = 'persona' AND digest = text_digest
        ) THEN 'text_is_not_purged'
        WHEN EXISTS (
            SELECT FROM catalogue_personaversion
            WHERE persona_id = entry AND digest = text_digest AND recalled_at IS NOT NULL
        ) THEN 'text_is_not_recalled'
    END
$$;

-- Makes the next version of a published persona whose text is not that of its newest one, and keeps
-- its number. Writes of one persona take turns at its row, so that no number is used twice.
CREATE OR REPLACE FUNCTION catalogue_persona_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest_digest text;
    -- Generated columns are computed after this.
    new_digest text := catalogue_digest(NEW.content);
    refusal text;
BEGIN
    NEW.number := CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.number END;
    IF NEW.status <> 'published' THEN
        RETURN NEW;
    END IF;
    -- A purge waits for all texts that are being published, and they wait for it.
    PERFORM pg_advisory_xact_lock_shared('catalogue_purge'::regclass::oid::int, 0);
    refusal := catalogue_persona_refusal(NEW.id, new_digest);
    IF refusal IS NOT NULL THEN
        RAISE 'This text was recalled or purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = refusal;
    END IF;
    SELECT digest INTO newest_digest FROM catalogue_personaversion
    WHERE persona_id = NEW.id AND number = NEW.number;
    IF newest_digest = new_digest THEN
        RETURN NEW;
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

-- A recall may be written, and lifted. A purge empties what may not be kept, for good; its digest
-- stays.
CREATE OR REPLACE FUNCTION catalogue_persona_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (to_jsonb(OLD) - '{recalled_at,recall_reason}'::text[])
            = (to_jsonb(NEW) - '{recalled_at,recall_reason}'::text[])
            AND (OLD.title <> '' OR NEW.recalled_at IS NOT NULL)
        THEN
            RETURN NEW;
        END IF;
        IF (to_jsonb(OLD) - '{recalled_at,recall_reason,version,title,description,files}'::text[])
            = (to_jsonb(NEW) - '{recalled_at,recall_reason,version,title,description,files}'::text[])
            AND (NEW.version, NEW.title, NEW.description) = ('', '', '')
            AND NEW.recalled_at IS NOT NULL
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


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0002_versions'),
    ]

    operations = [
        migrations.RunSQL(STORED, migrations.RunSQL.noop),
        migrations.RunSQL(SKILL_VERSIONS, migrations.RunSQL.noop),
        migrations.RunSQL(PERSONA_VERSIONS, migrations.RunSQL.noop),
    ]
