-- The digest of a text: of its bytes in UTF-8, whatever the encoding of the database. Columns are
-- generated with it, which an IMMUTABLE function alone may do; convert_to is not marked as one.
CREATE OR REPLACE FUNCTION catalogue_digest(content text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN 'sha256:' || encode(sha256(convert_to(content, 'UTF8')), 'hex');
END $$;
