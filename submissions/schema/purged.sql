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
