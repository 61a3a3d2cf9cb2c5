-- The words and values by which an entry is found and counted (docs/develop/search.md says why).

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

-- Each two adjacent words of a plain name as one: change-log and Change Log are changelog, too.
CREATE OR REPLACE FUNCTION search_joined(plain text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    words CONSTANT text[] := regexp_split_to_array(plain, ' +');
    joined text := '';
BEGIN
    FOR place IN 2 .. cardinality(words) LOOP
        joined := joined || ' ' || words[place - 1] || words[place];
    END LOOP;
    RETURN joined;
END $$;

-- The facts about an entry. `impact` says, in thousandths, how much the entry is about a word. It
-- rises with each field that has the word (title 3, slug 2, tag 2, description 1, category 1) and
-- levels off (BM25F: k1 = 2, b = 0.75). A longer field counts less, a short one at most double;
-- the length of a category does not count. A word that is n times in a description counts as
-- n^0.75. The usual lengths are constants (3 words in a title, 3 in a slug, 2 tags, 40 in a
-- description), because with true averages each new entry would change the impacts of all others.
-- `implied` marks words that only the category has: they do not make a word common in a search.
CREATE OR REPLACE FUNCTION search_facts(
    title text, slug text, tags varchar[], description text, category text, runtimes varchar[],
    author text, license text, is_free boolean, OUT facet text, OUT value text, OUT impact smallint
) RETURNS SETOF record
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 60 AS $$
    WITH plain AS MATERIALIZED (
        SELECT catalogue_plain(title) AS title, catalogue_plain(slug) AS slug
    ),
    words AS MATERIALIZED (
        SELECT word, stem, is_stop, is_weak,
            cardinality(array_positions(labels, 'A')) AS in_title,
            cardinality(array_positions(labels, 'B')) AS in_slug,
            cardinality(array_positions(labels, 'C')) AS in_tags,
            cardinality(array_positions(labels, 'D')) AS in_description,
            0 AS in_category, 0 AS in_joined
        FROM plain, search_words(
            setweight(to_tsvector('simple', plain.title), 'A')
            || setweight(to_tsvector('simple', plain.slug), 'B')
            || setweight(to_tsvector('simple', catalogue_plain(array_to_string(tags, ' '))), 'C')
            || setweight(to_tsvector('simple', catalogue_plain(description)), 'D')
        )
        UNION ALL
        -- There are no more than four labels.
        SELECT word, stem, is_stop, is_weak, 0, 0, 0, 0,
            ('A' = ANY (labels))::int, ('B' = ANY (labels))::int
        FROM plain, search_words(
            setweight(to_tsvector('simple', catalogue_plain(category)), 'A') || setweight(
                to_tsvector('simple', search_joined(plain.title) || search_joined(plain.slug)), 'B'
            )
        )
    ),
    fields AS (
        SELECT greatest(0.5, 0.25 + 0.75::float * sum(in_title) / 3) AS title,
            greatest(0.5, 0.25 + 0.75::float * sum(in_slug) / 3) AS slug,
            greatest(0.5, 0.25 + 0.75::float * sum(in_tags) / 2) AS tags,
            greatest(0.5, 0.25 + 0.75::float * sum(in_description) / 40) AS description
        FROM words WHERE NOT is_stop AND NOT is_weak
    ),
    stems AS (
        SELECT stem, sum(CASE WHEN is_weak THEN 0.5 ELSE 1 END * (
            3 * in_title / fields.title + 2 * in_slug / fields.slug + 2 * in_tags / fields.tags
            + power(in_description::float, 0.75) / fields.description + in_category
            + in_joined
        )) AS frequency, bool_and(in_category > 0) AS is_implied
        FROM words, fields
        -- A stop word says nothing, except in a name: The Who, IT.
        WHERE NOT is_stop OR in_title + in_slug > 0
        GROUP BY stem
    )
    SELECT 'word', stem, round(1000 * frequency / (2 + frequency))::smallint FROM stems
    UNION ALL
    SELECT 'implied', stem, NULL FROM stems WHERE is_implied
    UNION ALL
    SELECT DISTINCT 'spelling', word, NULL::smallint FROM words
    WHERE NOT is_stop AND in_joined = 0 AND length(word) > 2 AND word !~ '[0-9]'
    UNION ALL
    SELECT 'all', '', NULL
    UNION ALL
    SELECT 'category', category, NULL
    UNION ALL
    SELECT 'author', author, NULL
    UNION ALL
    SELECT 'license', license, NULL
    UNION ALL
    SELECT DISTINCT 'tag', tag, NULL::smallint FROM unnest(tags) AS tag
    UNION ALL
    SELECT DISTINCT 'runtime', runtime, NULL::smallint FROM unnest(runtimes) AS runtime
    UNION ALL
    SELECT 'free', is_free::text, NULL WHERE is_free IS NOT NULL
$$;
