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
