-- The slug of the entry that replaces a deprecated one, as long as it is published.
CREATE FUNCTION catalogue_{kind}_successor(successor bigint) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    SELECT slug FROM catalogue_{kind} WHERE id = successor AND status = 'published'
$$;
