-- The feed's triggers for one kind of entry. __init__.py replaces the names in braces.

-- Records a change of an entry: its slug is published or has changed, and any other slug that it
-- had is withdrawn. One record per transaction is enough, unless the digest changes again.
CREATE OR REPLACE FUNCTION changes_note_{kind}(entry bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place timestamptz := changes_position();
    published text;
BEGIN
    SELECT slug INTO published FROM catalogue_{kind} WHERE id = entry AND status = 'published';
    UPDATE changes_change SET change = 'withdrawn', digest = NULL, number = NULL, changed_at = place
    WHERE kind = '{kind}' AND entry_id = entry AND change <> 'withdrawn'
        AND slug IS DISTINCT FROM published;
    INSERT INTO changes_change AS known (kind, entry_id, slug, change, digest, number, changed_at)
    SELECT '{kind}', entry, slug, 'published', digest, number, place
    FROM catalogue_{kind} WHERE id = entry AND status = 'published'
    ON CONFLICT (kind, slug) DO UPDATE SET
        entry_id = entry,
        change = CASE
            WHEN known.change = 'withdrawn' THEN 'published'
            WHEN known.changed_at = place THEN known.change
            ELSE 'updated'
        END,
        digest = excluded.digest,
        number = excluded.number,
        changed_at = place
    WHERE (known.entry_id, known.digest, known.number, known.changed_at)
        IS DISTINCT FROM (entry, excluded.digest, excluded.number, place);
END $$;

CREATE OR REPLACE FUNCTION changes_{kind}_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE affected bigint;
BEGIN
    IF 'published' IN (OLD.status, NEW.status) THEN
        PERFORM changes_note_{kind}(coalesce(NEW.id, OLD.id));
        -- What a detail shows of those that it bundles, or that bundle it.
        IF ({old_beside}) IS DISTINCT FROM ({new_beside}) THEN
            FOR affected IN
                SELECT {other}_id FROM catalogue_persona_skills WHERE {kind}_id = NEW.id
            LOOP
                PERFORM changes_note_{other}(affected);
            END LOOP;
        END IF;
        -- What a deprecated entry shows of its successor.
        IF (OLD.slug, OLD.status) IS DISTINCT FROM (NEW.slug, NEW.status) THEN
            FOR affected IN SELECT id FROM catalogue_{kind} WHERE successor_id = NEW.id LOOP
                PERFORM changes_note_{kind}(affected);
            END LOOP;
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER changes_{kind}_changed
    AFTER INSERT OR DELETE OR UPDATE OF {columns} ON catalogue_{kind}
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION changes_{kind}_changed();
