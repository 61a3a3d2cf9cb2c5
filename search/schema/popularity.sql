-- How popular an entry is by its downloads or installs: the power of ten, from 0 for fewer than
-- ten to 5 for 100,000 and more. (In SQL, PostgreSQL would parse it at every install, in order to
-- inline it into the condition of a trigger.)
CREATE OR REPLACE FUNCTION search_popularity(counter bigint) RETURNS int
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN least(length(counter::text) - 1, 5);
END $$;
