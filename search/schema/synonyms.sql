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
