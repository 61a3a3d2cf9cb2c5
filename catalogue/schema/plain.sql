-- The one form of texts and of queries, as to_tsvector should see them: NFKC in lower case, without
-- invisible characters, and with a space for every sign that is not ASCII.
--
-- Names with signs are words of their own (C#: csharp), whichever way they are spelled; others are
-- split (pdf-tables, ci/cd). Chinese, Japanese and Korean are written without spaces, and become
-- overlapping pairs of characters.
CREATE OR REPLACE FUNCTION catalogue_plain(raw text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    -- Soft hyphen, joiners, marks of direction, variation selectors, tatweel
    invisible CONSTANT text := '[\u00ad\u034f\u061c\u0640\u180b-\u180e\u200b-\u200f\u202a-\u202e'
        '\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]';
    signs CONSTANT text := '[\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7'
        '\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b\u061f\u066a-\u066d\u06d4\u2000-\u2bff'
        '\u3000-\u3004\u3007-\u3030\u303d-\u303f\u30fb\U0001f000-\U0001faff]';
    spaceless CONSTANT text := '[\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+';
    plain text := raw;
    run text;
    pairs text := '';
BEGIN
    IF octet_length(raw) > length(raw) THEN
        plain := normalize(regexp_replace(plain, invisible, '', 'g'), NFKC);
        -- Dashes join words, as hyphens do. Arabic letters are as in Persian, digits as in English.
        plain := translate(
            plain, E'\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u266f\u0643\u064a'
            '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९',
            E'-------#\u06a9\u06cc012345678901234567890123456789'
        );
        FOR run IN SELECT match[1] FROM regexp_matches(plain, spaceless, 'g') AS match LOOP
            FOR start IN 1 .. greatest(length(run) - 1, 1) LOOP
                pairs := pairs || ' ' || substr(run, start, 2);
            END LOOP;
        END LOOP;
        plain := regexp_replace(plain, signs || '|' || spaceless, ' ', 'g');
    END IF;
    plain := lower(plain);
    IF plain ~ '[#+&]|\mc[ -]?(sharp|plus)|\mnet\M|js\M|\m[a-z][ -]and[ -][a-z]\M' THEN
        plain := regexp_replace(plain, '\m([a-z])(#|[ -]sharp\M)', '\1sharp ', 'g');
        plain := regexp_replace(plain, '\m([a-z])(\+\+|[ -]plus[ -]plus\M)', '\1pp ', 'g');
        plain := regexp_replace(plain, '\m([a-z]+)\.net\M', '\1net \1 dotnet', 'g');
        plain := regexp_replace(plain, '(\.|\mdot[ -])net\M', ' dotnet', 'g');
        plain := regexp_replace(plain, '\m([a-z])( ?& ?|[ -]and[ -])([a-z])\M', '\1n\3', 'g');
        plain := regexp_replace(plain, '\m([a-z][a-z0-9]+)[ .-]?js\M', '\1 \1js', 'g');
    END IF;
    -- On texts of this length, each of these takes a fortieth of the time of translate().
    plain := replace(replace(replace(plain, '-', ' '), '_', ' '), '/', ' ');
    RETURN replace(replace(replace(plain, '.', ' '), ':', ' '), '@', ' ') || pairs;
END $$;

-- A word, and its spellings without accents: those of German (für: fuer) and of others (fur). Many
-- people type other letters at the end of Arabic words (على: علی, رسالة: رساله).
CREATE OR REPLACE FUNCTION catalogue_spellings(word text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    accents CONSTANT text := '[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670]';
    forms text;
BEGIN
    IF word !~ '[\u00c0-\u06ff\u1e00-\u1fff]' THEN
        RETURN ARRAY[word];
    END IF;
    forms := word || ' ' || replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue');
    forms := replace(replace(replace(forms, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe');
    forms := regexp_replace(normalize(translate(forms, 'øłđðıىة', 'olddiیه'), NFKD), accents, '', 'g');
    RETURN word || array(
        SELECT DISTINCT spelling FROM regexp_split_to_table(forms, ' ') AS spelling
        WHERE spelling <> word
    );
END $$;
