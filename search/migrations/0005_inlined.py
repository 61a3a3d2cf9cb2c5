from django.db import migrations


WORDS = r"""
-- The words of a text with their stems; a stop word (the, who, for) is its own stem. A word with
-- accents is followed by its spellings without them, which are weak. (PostgreSQL inlines an SQL
-- function into a prepared search.)
CREATE OR REPLACE FUNCTION search_words(
    vector tsvector, OUT word text, OUT stem text, OUT is_stop boolean, OUT labels text[],
    OUT is_weak boolean
) RETURNS SETOF record
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 30 AS $$
    SELECT spelling, coalesce(stems[1], spelling), stems = '{}', weights, spelling <> lexeme
    FROM unnest(vector), unnest(CASE WHEN octet_length(lexeme) > length(lexeme)
        THEN catalogue_spellings(lexeme) ELSE ARRAY[lexeme] END) AS spelling,
        ts_lexize('english_stem', spelling) AS stems
$$;
"""

SYNONYMS = r"""
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
    -- A stem of the list has no signs that mean something in a pattern.
    SELECT CASE WHEN strpos(search_synonym_groups(), ' ' || stem || ' ') = 0 THEN '{}' ELSE
        array_remove(string_to_array(trim(
            substring(search_synonym_groups() FROM '[^|]* ' || stem || ' [^|]*')
        ), ' '), stem)
    END
$$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('search', '0004_spellings'),
    ]

    operations = [
        migrations.RunSQL(WORDS, migrations.RunSQL.noop),
        migrations.RunSQL(SYNONYMS, migrations.RunSQL.noop),
    ]
