-- How popular an entry is by its downloads or installs: the power of ten, from 0 for fewer than
-- ten to 5 for 100,000 and more.
CREATE FUNCTION catalogue_popularity(counter bigint) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT least(length(counter::text) - 1, 5) $$;

-- An install that reaches a power of ten may change rankings; all others leave them valid.
CREATE TRIGGER catalogue_popularity AFTER UPDATE OF downloads ON catalogue_skill
    FOR EACH ROW
    WHEN (
        NEW.status = 'published'
        AND catalogue_popularity(OLD.downloads) <> catalogue_popularity(NEW.downloads)
    )
    EXECUTE FUNCTION catalogue_version_changed();
CREATE TRIGGER catalogue_popularity AFTER UPDATE OF installs ON catalogue_persona
    FOR EACH ROW
    WHEN (
        NEW.status = 'published'
        AND catalogue_popularity(OLD.installs) <> catalogue_popularity(NEW.installs)
    )
    EXECUTE FUNCTION catalogue_version_changed();
