-- The popularity of an entry: the power of ten of its downloads or installs, from 0 for fewer than
-- ten to 5 for 100,000 and more. (If it were an SQL function, PostgreSQL would parse it at every
-- install, to inline it into the condition of a trigger.)
CREATE OR REPLACE FUNCTION search_popularity(counter bigint) RETURNS int
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN least(length(counter::text) - 1, 5);
END $$;
