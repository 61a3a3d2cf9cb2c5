-- The installs of each day, counted in the transaction that installs.
CREATE OR REPLACE FUNCTION installs_{kind}_by_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO installs_{kind}day AS counted ({kind}_id, day, installs)
    SELECT {kind}_id, (installed_at AT TIME ZONE 'UTC')::date AS day, count(*)
    FROM added GROUP BY {kind}_id, day ORDER BY {kind}_id, day
    ON CONFLICT ({kind}_id, day) DO UPDATE SET installs = counted.installs + excluded.installs;
    RETURN NULL;
END $$;

CREATE TRIGGER installs_{kind}_by_day AFTER INSERT ON installs_{kind}install
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION installs_{kind}_by_day();
