-- The part of the feed that is about one kind of entry; the migration fills in what is in braces.

-- Notes what has become of a slug of this kind: published or not any more, or something else that
-- a list or a detail shows. Once in a transaction is enough, unless the digest has changed since.
CREATE FUNCTION catalogue_note_{kind}(noted text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE place timestamptz := catalogue_feed_position();
BEGIN
    INSERT INTO catalogue_change AS known (kind, slug, change, digest, changed_at)
    SELECT '{kind}', slug, 'published', digest, place
    FROM catalogue_{kind} WHERE slug = noted AND status = 'published'
    ON CONFLICT (kind, slug) DO UPDATE SET
        change = CASE WHEN known.change = 'withdrawn' THEN 'published' ELSE 'updated' END,
        digest = excluded.digest,
        changed_at = place
    WHERE known.digest IS DISTINCT FROM excluded.digest OR known.changed_at < place;
    IF NOT EXISTS (SELECT FROM catalogue_{kind} WHERE slug = noted AND status = 'published') THEN
        UPDATE catalogue_change SET change = 'withdrawn', digest = NULL, changed_at = place
        WHERE kind = '{kind}' AND slug = noted AND change <> 'withdrawn';
    END IF;
END $$;

CREATE FUNCTION catalogue_{kind}_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE affected text;
BEGIN
    IF 'published' IN (OLD.status, NEW.status) THEN
        IF OLD.slug <> NEW.slug THEN
            PERFORM catalogue_note_{kind}(OLD.slug);
        END IF;
        PERFORM catalogue_note_{kind}(coalesce(NEW.slug, OLD.slug));
        -- What a detail shows of those that it bundles, or that bundle it.
        IF ({old_beside}) IS DISTINCT FROM ({new_beside}) THEN
            FOR affected IN
                SELECT slug FROM catalogue_{other} AS other
                JOIN catalogue_persona_skills AS bundle ON bundle.{other}_id = other.id
                WHERE bundle.{kind}_id = NEW.id
            LOOP
                PERFORM catalogue_note_{other}(affected);
            END LOOP;
        END IF;
        -- What a deprecated entry shows of its successor.
        IF (OLD.slug, OLD.status) IS DISTINCT FROM (NEW.slug, NEW.status) THEN
            FOR affected IN SELECT slug FROM catalogue_{kind} WHERE successor_id = NEW.id LOOP
                PERFORM catalogue_note_{kind}(affected);
            END LOOP;
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER catalogue_{kind}_changed
    AFTER INSERT OR DELETE OR UPDATE OF {shown} ON catalogue_{kind}
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION catalogue_{kind}_changed();
