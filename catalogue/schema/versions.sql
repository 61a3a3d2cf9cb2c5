-- The versions of {kind}s. __init__.py replaces the names in braces.

-- Why a {kind} may not be published with a text: the name of the constraint, or NULL. `written` is
-- the digest of what staff wrote. The text that agents get may differ, by a name or a description.
CREATE OR REPLACE FUNCTION catalogue_{kind}_refusal(
    entry bigint, text_digest text, written text DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN EXISTS (
            SELECT FROM catalogue_{kind}
            WHERE id = entry AND status = 'published' AND digest = text_digest
        ) THEN NULL
        WHEN EXISTS (
            SELECT FROM catalogue_purge WHERE kind = '{kind}' AND digest IN (text_digest, written)
        ) AND NOT EXISTS (
            -- It has the text already, which somebody has purged from another {kind}.
            SELECT FROM catalogue_{kind} AS {kind}
            WHERE id = entry AND status = 'published' AND {own_written} = written
        ) THEN 'text_is_not_purged'
        WHEN EXISTS (
            SELECT FROM catalogue_{kind}version
            WHERE {kind}_id = entry AND digest = text_digest AND recalled_at IS NOT NULL
        ) OR EXISTS (
            -- The same was recalled with another name or with other repairs, and never without.
            SELECT FROM catalogue_{kind}version AS version
            JOIN catalogue_filecontent AS stored ON stored.digest IN ({texts})
            WHERE {kind}_id = entry AND recalled_at IS NOT NULL AND {recalled_written} = written
        ) AND NOT EXISTS (
            SELECT FROM catalogue_{kind}version AS version
            JOIN catalogue_filecontent AS stored ON stored.digest = content_digest
            WHERE {kind}_id = entry AND recalled_at IS NULL AND {readable_written} = written
        ) THEN 'text_is_not_recalled'
    END
$$;

-- Sets what follows from the text of a {kind}, whatever the statement says: digest, context tokens
-- and number. If the {kind} is published and its text differs from its newest version, creates the
-- next one. Writes to one {kind} take turns at its row, so no number is used twice.
--
-- Generated columns would be computed again at each update, because of this trigger, and each
-- install updates a counter.
CREATE OR REPLACE FUNCTION catalogue_{kind}_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest_digest text;
    refusal text;
BEGIN
    NEW.digest := {digest};
    NEW.context_tokens := (length(NEW.content) + 3) / 4;
    NEW.number := CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.number END;
    IF NEW.status <> 'published' THEN
        RETURN NEW;
    END IF;
    -- A purge waits for all texts that are being published, and they wait for it.
    PERFORM pg_advisory_xact_lock_shared('catalogue_purge'::regclass::oid::int, 0);
    refusal := catalogue_{kind}_refusal(NEW.id, NEW.digest, {written});
    IF refusal IS NOT NULL THEN
        RAISE 'This text was recalled or purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = refusal;
    END IF;
    SELECT digest INTO newest_digest FROM catalogue_{kind}version
    WHERE {kind}_id = NEW.id AND number = NEW.number;
    IF newest_digest = NEW.digest THEN
        RETURN NEW;
    END IF;
    NEW.number := NEW.number + 1;
    INSERT INTO catalogue_{kind}version (
        {kind}_id, number, version, title, description, digest, content_digest, context_tokens,
        created_at{columns}
    ) VALUES (
        NEW.id, NEW.number, NEW.version, NEW.title, NEW.description, NEW.digest,
        catalogue_stored(NEW.content), NEW.context_tokens, now(){values}
    );
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER catalogue_{kind}_numbered
    BEFORE INSERT OR UPDATE OF number, digest, context_tokens, status, content{sources}
    ON catalogue_{kind}
    FOR EACH ROW EXECUTE FUNCTION catalogue_{kind}_numbered();

-- A version can be recalled, and the recall lifted. A purge empties a version for good, except for
-- its digest.
CREATE OR REPLACE FUNCTION catalogue_{kind}_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (to_jsonb(OLD) - '{{recalled_at,recall_reason}}'::text[])
            = (to_jsonb(NEW) - '{{recalled_at,recall_reason}}'::text[])
            AND (OLD.title <> '' OR NEW.recalled_at IS NOT NULL)
        THEN
            RETURN NEW;
        END IF;
        IF (to_jsonb(OLD) - '{{recalled_at,recall_reason,version,title,description,{own_texts}}}'::text[])
            = (to_jsonb(NEW) - '{{recalled_at,recall_reason,version,title,description,{own_texts}}}'::text[])
            AND (NEW.version, NEW.title, NEW.description) = ('', '', '')
            AND NEW.recalled_at IS NOT NULL
            AND EXISTS (SELECT FROM catalogue_purge WHERE kind = '{kind}' AND digest = OLD.digest)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE 'A version never changes.' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER catalogue_{kind}_version_kept
    BEFORE UPDATE OR DELETE ON catalogue_{kind}version
    FOR EACH ROW EXECUTE FUNCTION catalogue_{kind}_version_kept();
