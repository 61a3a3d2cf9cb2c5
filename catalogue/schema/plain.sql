-- A text as to_tsvector should see it. Names are split (pdf-tables, node.js, ci/cd). Chinese,
-- Japanese and Korean are written without spaces, and become overlapping pairs of characters.
CREATE OR REPLACE FUNCTION catalogue_plain(raw text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    spaceless CONSTANT text := '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+';
    plain text := translate(raw, '-_/.:@', '      ');
    run text;
BEGIN
    IF raw ~ spaceless THEN
        plain := regexp_replace(plain, spaceless, ' ', 'g');
        FOR run IN SELECT match[1] FROM regexp_matches(raw, spaceless, 'g') AS match LOOP
            FOR start IN 1 .. greatest(length(run) - 1, 1) LOOP
                plain := plain || ' ' || substr(run, start, 2);
            END LOOP;
        END LOOP;
    END IF;
    RETURN plain;
END $$;
