-- Facet counts and the catalogue version, kept in the transaction that writes an entry.

-- The number of published entries of a kind with this value of a facet, from the counts and their
-- deltas. (If it were an SQL function, PostgreSQL before 18 would plan it for every statement.)
CREATE OR REPLACE FUNCTION search_count(of text, counted text, this text) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(entries), 0) FROM (
            SELECT entries FROM search_facetcount
            WHERE kind = of AND facet = counted AND value = this
            UNION ALL
            SELECT entries FROM search_facetcountdelta
            WHERE kind = of AND facet = counted AND value = this
        ) AS found
    );
END $$;

-- The same for a label, in any case (contract 8.3). An index has the keys of all facets but words.
CREATE OR REPLACE FUNCTION search_label_count(of text, counted text, label text) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(entries), 0) FROM (
            SELECT entries FROM search_facetcount
            WHERE kind = of AND facet = counted AND lower(value COLLATE "default") = lower(label)
                AND facet NOT IN ('word', 'implied', 'spelling')
            UNION ALL
            SELECT entries FROM search_facetcountdelta
            WHERE kind = of AND facet = counted AND lower(value COLLATE "default") = lower(label)
        ) AS found
    );
END $$;

-- Adds the deltas of one statement to the facet counts, and those that other transactions left. If
-- another transaction holds the lock, leaves them for the next one. So no writer waits here, and
-- no deadlock can start here, because only the holder of the lock locks rows of the counts.
CREATE OR REPLACE FUNCTION search_add_up(of text, facets text[], facts text[], numbers bigint[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF pg_try_advisory_xact_lock('search_facetcount'::regclass::oid::int, 0) THEN
        WITH others AS (DELETE FROM search_facetcountdelta RETURNING kind, facet, value, entries)
        INSERT INTO search_facetcount (kind, facet, value, entries)
        SELECT kind, facet, value, sum(entries) FROM (
            SELECT of AS kind, * FROM unnest(facets, facts, numbers) AS mine (facet, value, entries)
            UNION ALL
            SELECT kind, facet, value, entries FROM others
        ) AS changes
        GROUP BY kind, facet, value HAVING sum(entries) <> 0
        ON CONFLICT (kind, facet, value)
        DO UPDATE SET entries = search_facetcount.entries + excluded.entries;
    ELSE
        INSERT INTO search_facetcountdelta (kind, facet, value, entries)
        SELECT of, * FROM unnest(facets, facts, numbers);
    END IF;
END $$;

-- Changes the catalogue version, after each transaction that may change a search result. A ranking
-- is valid until the version changes. Once per transaction is enough, because nobody sees the new
-- number before the commit, and an import would write this row a thousand times. The step is
-- random, because a restored backup continues from an older number and must not repeat one.
CREATE OR REPLACE FUNCTION search_bump_version() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('search.is_bumped', true), '') = '' THEN
        PERFORM set_config('search.is_bumped', 'yes', true);
        PERFORM search_add_up(
            'entry', '{version}', '{""}', ARRAY[1 + floor(random() * 1000000)::bigint]
        );
    END IF;
END $$;

CREATE OR REPLACE FUNCTION search_version_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM search_bump_version();
    RETURN NULL;
END $$;

-- The filters bundledIn and skill look at these rows.
CREATE TRIGGER search_version AFTER INSERT OR UPDATE OR DELETE ON catalogue_persona_skills
    FOR EACH ROW EXECUTE FUNCTION search_version_changed();
