-- Who submitted and who published a version is as immutable as the version.
CREATE OR REPLACE FUNCTION submissions_submittedversion_kept() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE 'Who submitted a version never changes.' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER submissions_submittedversion_kept
    BEFORE UPDATE OR DELETE ON submissions_submittedversion
    FOR EACH ROW EXECUTE FUNCTION submissions_submittedversion_kept();
