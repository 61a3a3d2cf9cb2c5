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
