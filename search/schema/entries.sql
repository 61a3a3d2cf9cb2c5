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
