-- The digest of a text in UTF-8, whatever the encoding of the database.
CREATE OR REPLACE FUNCTION catalogue_digest(content text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN 'sha256:' || encode(sha256(convert_to(content, 'UTF8')), 'hex');
END $$;

-- The digest of a skill: of its SKILL.md if there is nothing else, otherwise of the lines that
-- sha256sum prints for its folder, sorted by the bytes of the path.
CREATE OR REPLACE FUNCTION catalogue_digest(skill_md text, files jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    hashed bytea := sha256(convert_to(skill_md, 'UTF8'));
    lines text;
BEGIN
    IF files <> '[]' THEN
        SELECT string_agg(line, '' ORDER BY path) INTO lines FROM (
            SELECT encode(hashed, 'hex') || E'  SKILL.md\n' AS line, 'SKILL.md'::bytea AS path
            UNION ALL
            SELECT
                substr(digest, length('sha256:') + 1)
                    || CASE WHEN is_executable THEN ' *' ELSE '  ' END || path || E'\n',
                convert_to(path, 'UTF8')
            FROM jsonb_to_recordset(files) AS file (path text, digest text, is_executable boolean)
        ) AS folder;
        hashed := sha256(convert_to(lines, 'UTF8'));
    END IF;
    RETURN 'sha256:' || encode(hashed, 'hex');
END $$;

-- What somebody wrote, whatever the newlines and the byte order mark, which earlier releases left
-- out when they imported a file.
CREATE OR REPLACE FUNCTION catalogue_written(content text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT replace(
        replace(regexp_replace(content, '^\uFEFF', ''), E'\r\n', E'\n'), E'\r', E'\n'
    )
$$;
