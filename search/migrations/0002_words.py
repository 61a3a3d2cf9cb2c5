from django.db import migrations


WORDS = r"""
-- The singular of a plural that has another stem.
CREATE OR REPLACE FUNCTION search_singular(word text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE word
        WHEN 'analyses' THEN 'analysis' WHEN 'appendices' THEN 'appendix' WHEN 'axes' THEN 'axis'
        WHEN 'children' THEN 'child' WHEN 'criteria' THEN 'criterion'
        WHEN 'hypotheses' THEN 'hypothesis' WHEN 'indices' THEN 'index' WHEN 'matrices' THEN 'matrix'
        WHEN 'men' THEN 'man' WHEN 'phenomena' THEN 'phenomenon' WHEN 'vertices' THEN 'vertex'
        WHEN 'women' THEN 'woman' ELSE word END
$$;

-- The words of a text with their stems; a stop word (the, who, for) is its own stem. A word with
-- accents is followed by its spellings without them, which are weak. (PostgreSQL inlines an SQL
-- function into a prepared search.)
CREATE OR REPLACE FUNCTION search_words(
    vector tsvector, OUT word text, OUT stem text, OUT is_stop boolean, OUT labels text[],
    OUT is_weak boolean
) RETURNS SETOF record
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 30 AS $$
    SELECT spelling, coalesce(stems[1], spelling), stems = '{}', weights, spelling <> lexeme
    FROM (
        -- Among the columns, unnest() needs no table for its rows.
        SELECT lexeme, weights, unnest(CASE WHEN octet_length(lexeme) > length(lexeme)
            THEN catalogue_spellings(lexeme) ELSE ARRAY[lexeme] END) AS spelling
        FROM unnest(vector)
    ) AS spelled, ts_lexize('english_stem', search_singular(spelling)) AS stems
$$;
"""

SYNONYMS = r"""
-- The stems that a query with this stem also searches for. (PostgreSQL inlines both functions into
-- a prepared search.)
CREATE OR REPLACE FUNCTION search_synonyms(stem text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    -- What is before the stem in its group, and what is after it. (A pattern would be compiled.)
    SELECT CASE WHEN strpos(search_synonym_groups(), ' ' || stem || ' ') = 0 THEN '{}' ELSE
        string_to_array(trim(
            split_part(split_part(search_synonym_groups(), ' ' || stem || ' ', 1), '|', -1) || ' '
            || split_part(split_part(search_synonym_groups(), ' ' || stem || ' ', 2), '|', 1)
        ), ' ')
    END
$$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('search', '0001_initial'),
    ]

    # The entries keep their words of before until rebuild_search.
    operations = [
        migrations.RunSQL(WORDS, migrations.RunSQL.noop),
        migrations.RunSQL(SYNONYMS, migrations.RunSQL.noop),
    ]
