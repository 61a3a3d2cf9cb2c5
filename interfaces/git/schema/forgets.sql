-- A purged version has no title.
CREATE OR REPLACE TRIGGER git_{kind}_forgotten AFTER UPDATE OF title ON catalogue_{kind}version
    FOR EACH ROW WHEN (NEW.title = '' AND OLD.title <> '')
    EXECUTE FUNCTION git_forgotten('{kind}');
