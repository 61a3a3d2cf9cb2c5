-- The same facts, and the license.
CREATE FUNCTION catalogue_facts(
    title text, slug text, tags varchar[], description text, category text, runtimes varchar[],
    author text, license text, is_free boolean, OUT facet text, OUT value text, OUT impact smallint
) RETURNS SETOF record
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 60 AS $$
    SELECT * FROM catalogue_facts(
        title, slug, tags, description, category, runtimes, author, is_free
    )
    UNION ALL
    SELECT 'license', license, NULL
$$;
