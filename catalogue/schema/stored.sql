-- Stores a text once, and returns the digest of its bytes.
CREATE OR REPLACE FUNCTION catalogue_stored(content text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE stored_digest text := catalogue_digest(content);
BEGIN
    INSERT INTO catalogue_filecontent (digest, data)
    VALUES (stored_digest, convert_to(content, 'UTF8')) ON CONFLICT DO NOTHING;
    RETURN stored_digest;
END $$;

-- A stored text or file never changes. It stays as long as any version has it. A purged version
-- has no title.
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
