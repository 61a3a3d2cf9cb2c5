from django.db import migrations, models


FACTS = '''
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
'''

SYNONYMS = '''
-- Short names and near synonyms of the field, as stems. Two words that are often joined are written
-- as one (search_joined).
CREATE OR REPLACE FUNCTION search_synonym_groups() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT
    '| k8s kubernet | db databas | js javascript | ts typescript | py python '
    '| pr pullrequest | ml machinelearn | llm languagemodel | ux userexperi '
    '| ui userinterfac | qa qualityassur tester test | ci continuousintegr '
    '| auth authent login | config configur | doc document | repo repositori | perf perform '
    '| infra infrastructur | review audit auditor check | vulner hole '
    '| stt transcrib transcript speech | imag pictur photo | translat local '
    '| email mail inbox | chart graph plot | spreadsheet excel xlsx '
    '| slide present powerpoint pptx | cv resum | sprint scrum agil | develop programm coder '
    '| writer author copywrit | lawyer attorney legal law | account bookkeep tax '
    '| psychologist therapist counselor psychotherapist | teacher tutor professor instructor '
    '| doctor physician medic | coach mentor trainer | fit workout exercis '
    '| trip travel itinerari |'
$$;

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
'''

COUNTS = '''
-- Facet counts and the catalogue version, kept in the transaction that writes an entry.

-- The number of published entries of a kind with this value of a facet, from the counts and their
-- deltas. (If it were an SQL function, PostgreSQL before 18 would plan it for every statement.)
CREATE OR REPLACE FUNCTION search_count(of text, counted text, this text) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(entries), 0) FROM (
            SELECT entries FROM search_facetcount
            WHERE kind = of AND facet = counted AND value = this
            UNION ALL
            SELECT entries FROM search_facetcountdelta
            WHERE kind = of AND facet = counted AND value = this
        ) AS found
    );
END $$;

-- The same for a label, in any case (contract 8.3). An index has the keys of all facets but words.
CREATE OR REPLACE FUNCTION search_label_count(of text, counted text, label text) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(entries), 0) FROM (
            SELECT entries FROM search_facetcount
            WHERE kind = of AND facet = counted AND lower(value COLLATE "default") = lower(label)
                AND facet NOT IN ('word', 'implied', 'spelling')
            UNION ALL
            SELECT entries FROM search_facetcountdelta
            WHERE kind = of AND facet = counted AND lower(value COLLATE "default") = lower(label)
        ) AS found
    );
END $$;

-- Adds the deltas of one statement to the facet counts, and those that other transactions left. If
-- another transaction holds the lock, leaves them for the next one. So no writer waits here, and
-- no deadlock can start here, because only the holder of the lock locks rows of the counts.
CREATE OR REPLACE FUNCTION search_add_up(of text, facets text[], facts text[], numbers bigint[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF pg_try_advisory_xact_lock('search_facetcount'::regclass::oid::int, 0) THEN
        WITH others AS (DELETE FROM search_facetcountdelta RETURNING kind, facet, value, entries)
        INSERT INTO search_facetcount (kind, facet, value, entries)
        SELECT kind, facet, value, sum(entries) FROM (
            SELECT of AS kind, * FROM unnest(facets, facts, numbers) AS mine (facet, value, entries)
            UNION ALL
            SELECT kind, facet, value, entries FROM others
        ) AS changes
        GROUP BY kind, facet, value HAVING sum(entries) <> 0
        ON CONFLICT (kind, facet, value)
        DO UPDATE SET entries = search_facetcount.entries + excluded.entries;
    ELSE
        INSERT INTO search_facetcountdelta (kind, facet, value, entries)
        SELECT of, * FROM unnest(facets, facts, numbers);
    END IF;
END $$;

-- Changes the catalogue version, after each transaction that may change a search result. A ranking
-- is valid until the version changes. Once per transaction is enough, because nobody sees the new
-- number before the commit, and an import would write this row a thousand times. The step is
-- random, because a restored backup continues from an older number and must not repeat one.
CREATE OR REPLACE FUNCTION search_bump_version() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('search.is_bumped', true), '') = '' THEN
        PERFORM set_config('search.is_bumped', 'yes', true);
        PERFORM search_add_up(
            'entry', '{version}', '{""}', ARRAY[1 + floor(random() * 1000000)::bigint]
        );
    END IF;
END $$;

CREATE OR REPLACE FUNCTION search_version_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM search_bump_version();
    RETURN NULL;
END $$;

-- The filters bundledIn and skill look at these rows.
CREATE TRIGGER search_version AFTER INSERT OR UPDATE OR DELETE ON catalogue_persona_skills
    FOR EACH ROW EXECUTE FUNCTION search_version_changed();
'''

POPULARITY = '''
-- The popularity of an entry: the power of ten of its downloads or installs, from 0 for fewer than
-- ten to 5 for 100,000 and more. (If it were an SQL function, PostgreSQL would parse it at every
-- install, to inline it into the condition of a trigger.)
CREATE OR REPLACE FUNCTION search_popularity(counter bigint) RETURNS int
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN least(length(counter::text) - 1, 5);
END $$;
'''

ENTRIES = '''
-- Postings, facet counts and version of one kind of entry. __init__.py replaces the names in
-- braces. Triggers for inserts and deletes run once per statement, so an import of many rows counts
-- once. Triggers for updates fire only for columns that are searched or counted, so an install or
-- a review costs nothing here.

CREATE OR REPLACE FUNCTION search_{kind}_added() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE facets text[]; facts text[]; numbers bigint[];
BEGIN
    WITH held AS MATERIALIZED (
        SELECT entry.id, fact.*
        FROM changed AS entry, search_facts({columns}) AS fact
        WHERE entry.status = 'published'
    ), posted AS (
        INSERT INTO search_{kind}posting (entry_id, word, impact)
        SELECT id, value, impact FROM held WHERE facet = 'word'
    )
    SELECT array_agg(facet), array_agg(value), array_agg(entries) INTO facets, facts, numbers
    FROM (SELECT facet, value, count(*) AS entries FROM held GROUP BY facet, value) AS counted;
    PERFORM search_add_up('{kind}', facets, facts, numbers);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION search_{kind}_removed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE facets text[]; facts text[]; numbers bigint[];
BEGIN
    DELETE FROM search_{kind}posting WHERE entry_id IN (SELECT id FROM changed);
    SELECT array_agg(facet), array_agg(value), array_agg(entries) INTO facets, facts, numbers
    FROM (
        SELECT facet, value, -count(*) AS entries
        FROM changed AS entry, search_facts({columns}) AS fact
        WHERE entry.status = 'published' GROUP BY facet, value
    ) AS counted;
    PERFORM search_add_up('{kind}', facets, facts, numbers);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION search_{kind}_edited() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE facets text[]; facts text[]; numbers bigint[];
BEGIN
    DELETE FROM search_{kind}posting WHERE entry_id = OLD.id;
    WITH held AS MATERIALIZED (
        SELECT entry.id, entry.sign, fact.*
        FROM (SELECT OLD.*, -1 AS sign UNION ALL SELECT NEW.*, 1) AS entry,
            search_facts({columns}) AS fact
        WHERE entry.status = 'published'
    ), posted AS (
        INSERT INTO search_{kind}posting (entry_id, word, impact)
        SELECT id, value, impact FROM held WHERE facet = 'word' AND sign = 1
    )
    SELECT array_agg(facet), array_agg(value), array_agg(entries) INTO facets, facts, numbers
    FROM (
        SELECT facet, value, sum(sign) AS entries FROM held
        GROUP BY facet, value HAVING sum(sign) <> 0
    ) AS counted;
    PERFORM search_add_up('{kind}', facets, facts, numbers);
    RETURN NULL;
END $$;

CREATE TRIGGER search_{kind}_added AFTER INSERT ON catalogue_{kind}
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION search_{kind}_added();
CREATE TRIGGER search_{kind}_removed AFTER DELETE ON catalogue_{kind}
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION search_{kind}_removed();
CREATE TRIGGER search_{kind}_edited AFTER UPDATE OF {written} ON catalogue_{kind}
    FOR EACH ROW WHEN (({old}) IS DISTINCT FROM ({new}))
    EXECUTE FUNCTION search_{kind}_edited();

-- All facts about published entries. Postings and facet counts hold exactly these.
CREATE VIEW search_{kind}fact AS
    SELECT entry.id AS entry_id, fact.facet, fact.value, fact.impact
    FROM catalogue_{kind} AS entry, search_facts({columns}) AS fact
    WHERE entry.status = 'published';

-- Drafts are in no ranking, so writing one does not change the version.
CREATE TRIGGER search_version_added AFTER INSERT ON catalogue_{kind}
    FOR EACH ROW WHEN (NEW.status = 'published') EXECUTE FUNCTION search_version_changed();
CREATE TRIGGER search_version_removed AFTER DELETE ON catalogue_{kind}
    FOR EACH ROW WHEN (OLD.status = 'published') EXECUTE FUNCTION search_version_changed();
CREATE TRIGGER search_version_edited AFTER UPDATE OF {written} ON catalogue_{kind}
    FOR EACH ROW
    WHEN (({old}) IS DISTINCT FROM ({new}) AND 'published' IN (OLD.status, NEW.status))
    EXECUTE FUNCTION search_version_changed();

-- An install that reaches a power of ten may change rankings; all others leave them valid.
CREATE TRIGGER search_popularity AFTER UPDATE OF {counter} ON catalogue_{kind}
    FOR EACH ROW
    WHEN (
        NEW.status = 'published'
        AND search_popularity(OLD.{counter}) <> search_popularity(NEW.{counter})
    )
    EXECUTE FUNCTION search_version_changed();
'''

FACT_COLUMNS = ['title', 'slug', 'tags', 'description', 'category', 'runtimes', 'author', 'license']


def entries(kind, counter, *more, is_free):
    written = [*FACT_COLUMNS, 'status', *more]
    return ENTRIES.format(
        kind=kind,
        counter=counter,
        columns=', '.join([*(f'entry.{name}' for name in FACT_COLUMNS), is_free]),
        written=', '.join(written),
        old=', '.join(f'OLD.{name}' for name in written),
        new=', '.join(f'NEW.{name}' for name in written),
    )


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('catalogue', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='FacetCount',
            fields=[
                ('kind', models.CharField(max_length=7)),
                ('facet', models.CharField(max_length=8)),
                ('value', models.TextField(db_collation='C')),
                ('entries', models.BigIntegerField()),
                ('pk', models.CompositePrimaryKey('kind', 'facet', 'value', blank=True, editable=False, primary_key=True, serialize=False)),
            ],
            options={
                'indexes': [models.Index(models.F('kind'), models.F('facet'), models.Func('value', template='lower(%(expressions)s COLLATE "default")'), condition=models.Q(('facet__in', ['word', 'implied', 'spelling']), _negated=True), name='facet_count_key')],
            },
        ),
        migrations.CreateModel(
            name='FacetCountDelta',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=7)),
                ('facet', models.CharField(max_length=8)),
                ('value', models.TextField(db_collation='C')),
                ('entries', models.BigIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['kind', 'facet', 'value'], name='facet_count_delta')],
            },
        ),
        migrations.CreateModel(
            name='PersonaPosting',
            fields=[
                ('pk', models.CompositePrimaryKey('entry_id', 'word', blank=True, editable=False, primary_key=True, serialize=False)),
                ('entry_id', models.BigIntegerField()),
                ('impact', models.SmallIntegerField()),
                ('word', models.TextField(db_collation='C')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(models.F('word'), models.OrderBy(models.F('impact'), descending=True), models.OrderBy(models.F('entry_id'), descending=True), name='personaposting_best')],
            },
        ),
        migrations.CreateModel(
            name='SkillPosting',
            fields=[
                ('pk', models.CompositePrimaryKey('entry_id', 'word', blank=True, editable=False, primary_key=True, serialize=False)),
                ('entry_id', models.BigIntegerField()),
                ('impact', models.SmallIntegerField()),
                ('word', models.TextField(db_collation='C')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(models.F('word'), models.OrderBy(models.F('impact'), descending=True), models.OrderBy(models.F('entry_id'), descending=True), name='skillposting_best')],
            },
        ),
        migrations.CreateModel(
            name='ZeroResultSearch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('skill', 'Skills'), ('persona', 'Personas')], max_length=7)),
                ('text', models.CharField(max_length=64)),
                ('searches', models.PositiveBigIntegerField(default=1)),
                ('last_searched_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'search without results',
                'verbose_name_plural': 'searches without results',
                'ordering': ['-searches', '-last_searched_at'],
                'indexes': [models.Index(models.OrderBy(models.F('searches'), descending=True), models.OrderBy(models.F('last_searched_at'), descending=True), name='zero_result_most')],
                'constraints': [models.UniqueConstraint(fields=('kind', 'text'), name='one_zero_result_per_text')],
            },
        ),
        migrations.RunSQL(FACTS, 'DROP FUNCTION search_singular, search_words, search_joined, search_facts'),
        migrations.RunSQL(SYNONYMS, 'DROP FUNCTION search_synonyms, search_synonym_groups'),
        migrations.RunSQL(COUNTS, 'DROP FUNCTION search_count, search_label_count, search_add_up, search_bump_version, search_version_changed CASCADE'),
        migrations.RunSQL(POPULARITY, 'DROP FUNCTION search_popularity CASCADE'),
        migrations.RunSQL(
            entries('skill', 'downloads', is_free='NULL'),
            'DROP FUNCTION search_skill_added, search_skill_removed, search_skill_edited CASCADE; DROP VIEW search_skillfact',
        ),
        migrations.RunSQL(
            entries('persona', 'installs', 'price_cents', is_free='entry.price_cents = 0'),
            'DROP FUNCTION search_persona_added, search_persona_removed, search_persona_edited CASCADE; DROP VIEW search_personafact',
        ),
    ]
