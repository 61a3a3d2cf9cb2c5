-- How many published entries of a kind have this value of a facet: the counts and their deltas. (In
-- SQL, PostgreSQL before 18 would plan it for every statement that calls it.)
CREATE OR REPLACE FUNCTION catalogue_count(of text, counted text, this text) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(entries), 0) FROM (
            SELECT entries FROM catalogue_facetcount
            WHERE kind = of AND facet = counted AND value = this
            UNION ALL
            SELECT entries FROM catalogue_facetcountdelta
            WHERE kind = of AND facet = counted AND value = this
        ) AS found
    );
END $$;
