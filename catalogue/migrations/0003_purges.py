from django.db import migrations


STORED = r'''
-- Stores a text once, and returns the digest of its bytes.
CREATE OR REPLACE FUNCTION catalogue_stored(content text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE stored_digest text := catalogue_digest(content);
BEGIN
    INSERT INTO catalogue_filecontent (digest, data)
    VALUES (stored_digest, convert_to(content, 'UTF8')) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        -- A purge that is about to delete it waits, and finds that it is used.
        PERFORM FROM catalogue_filecontent WHERE digest = stored_digest FOR KEY SHARE;
    END IF;
    RETURN stored_digest;
END $$;

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
    newest catalogue_skillversion;
    -- Generated columns are computed after this.
    new_digest text := catalogue_digest(coalesce(nullif(NEW.skill_md, ''), NEW.content), NEW.files);
    refusal text;
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
    refusal := catalogue_skill_refusal(NEW.id, new_digest);
    IF refusal IS NOT NULL THEN
        RAISE 'This text was recalled or purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = refusal;
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
'''

PERSONA_VERSIONS = r'''
-- Why a persona may not be published with a text: the name of the constraint, or NULL.
CREATE OR REPLACE FUNCTION catalogue_persona_refusal(entry bigint, text_digest text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT CASE
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
    newest catalogue_personaversion;
    -- Generated columns are computed after this.
    new_digest text := catalogue_digest(NEW.content);
    refusal text;
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
    refusal := catalogue_persona_refusal(NEW.id, new_digest);
    IF refusal IS NOT NULL THEN
        RAISE 'This text was recalled or purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = refusal;
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
