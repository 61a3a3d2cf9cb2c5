-- The keys of a slug: people take two slugs for each other if they have one in common (contract
-- 28.10). They differ only in 0 and o, 1, l and i, rn and m, hyphens, or the s of a plural.
CREATE OR REPLACE FUNCTION catalogue_look_alike_keys(slug varchar) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    singular text := regexp_replace(slug, 's(?=-|$)', '', 'g');
    -- Without hyphens, only the last word can be told apart.
    forms text := concat_ws(' ', slug, singular, regexp_replace(slug, 's$', ''));
BEGIN
    RETURN string_to_array(
        translate(replace(replace(forms, '-', ''), 'rn', 'm'), '01l', 'oii'), ' '
    );
END $$;
