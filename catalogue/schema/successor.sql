-- The slug of the entry that replaces a deprecated one, as long as it is published. (If it were an
-- SQL function, the planner would parse it for every statement, and try in vain to inline it.)
CREATE OR REPLACE FUNCTION catalogue_{kind}_successor(successor bigint) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT slug FROM catalogue_{kind} WHERE id = successor AND status = 'published');
END $$;
