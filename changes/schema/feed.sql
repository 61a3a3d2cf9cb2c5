-- The feed of changes (docs/develop/feed.md): entries that appeared, changed or went, in the order
-- of the commits. Deferred triggers run all of it when a transaction commits.

-- The position of this transaction in the feed, later than that of every committed transaction. The
-- transaction locks the feed's one row until its commit is visible. So a reader that has seen a
-- position never finds an earlier one afterward.
CREATE OR REPLACE FUNCTION changes_position() RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    place timestamptz := nullif(current_setting('changes.position', true), '');
BEGIN
    IF place IS NULL THEN
        INSERT INTO changes_feed AS feed (id, newest_at, complete_since)
        VALUES (1, clock_timestamp(), 'epoch')
        ON CONFLICT (id) DO UPDATE SET
            -- Also where the clock was set back.
            newest_at = greatest(clock_timestamp(), feed.newest_at + interval '1 microsecond')
        RETURNING newest_at INTO place;
        PERFORM set_config('changes.position', place::text, true);
        WITH dropped AS (
            DELETE FROM changes_change
            WHERE change = 'withdrawn' AND changed_at < place - interval '90 days'
            RETURNING changed_at
        )
        UPDATE changes_feed SET complete_since = newest.changed_at
        FROM (SELECT max(changed_at) AS changed_at FROM dropped) AS newest
        WHERE newest.changed_at > complete_since;
    END IF;
    RETURN place;
END $$;

-- Whether an entry is in the feed as published, or was until this transaction.
CREATE OR REPLACE FUNCTION changes_is_in_feed(of text, entry bigint, place timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM changes_change
        WHERE kind = of AND entry_id = entry AND (change <> 'withdrawn' OR changed_at = place)
    )
$$;

-- The details of a skill and of a persona that bundles it show each other.
CREATE OR REPLACE FUNCTION changes_bundle_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    place timestamptz := changes_position();
    bundle record;
BEGIN
    FOR bundle IN
        SELECT OLD.skill_id, OLD.persona_id WHERE OLD.id IS NOT NULL
        UNION SELECT NEW.skill_id, NEW.persona_id WHERE NEW.id IS NOT NULL
    LOOP
        IF changes_is_in_feed('skill', bundle.skill_id, place) THEN
            PERFORM changes_note_persona(bundle.persona_id);
        END IF;
        IF changes_is_in_feed('persona', bundle.persona_id, place) THEN
            PERFORM changes_note_skill(bundle.skill_id);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER changes_bundle_changed
    AFTER INSERT OR UPDATE OR DELETE ON catalogue_persona_skills
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION changes_bundle_changed();
