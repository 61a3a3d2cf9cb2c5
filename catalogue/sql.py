"""Statements that the ORM cannot express."""

# Where the database holds bytes with these digests. Entries and their histories have texts in
# their own rows. Versions and files refer to FileContent.
USES = """
WITH held AS (
    SELECT format('version %%s of the skill %%s', version.number, slug) AS place,
        NULL AS history_of, NULL AS own_text,
        ARRAY[content_digest, skill_md_digest] AS texts, version.files
    FROM catalogue_skillversion AS version JOIN catalogue_skill AS skill ON skill.id = skill_id
    WHERE version.title <> ''
    UNION ALL
    SELECT format('version %%s of the persona %%s', version.number, slug),
        NULL, NULL, ARRAY[content_digest], '[]'
    FROM catalogue_personaversion AS version
    JOIN catalogue_persona AS persona ON persona.id = persona_id
    WHERE version.title <> ''
    UNION ALL
    SELECT format('the %%s skill %%s', status, slug), NULL, catalogue_digest(content), '{}', files
    FROM catalogue_skill
    UNION ALL
    SELECT format('the %%s persona %%s', status, slug),
        NULL, catalogue_digest(content), '{}', '[]'
    FROM catalogue_persona
    UNION ALL
    SELECT format('the history of the skill %%s', slug),
        'skill ' || id, catalogue_digest(content), '{}', files
    FROM catalogue_historicalskill
    UNION ALL
    SELECT format('the history of the persona %%s', slug),
        'persona ' || id, catalogue_digest(content), '{}', '[]'
    FROM catalogue_historicalpersona
)
SELECT DISTINCT place, digest, is_stored, history_of
FROM held, LATERAL (
    SELECT own_text, false
    UNION ALL SELECT unnest(texts), true
    UNION ALL SELECT file.digest, true FROM jsonb_to_recordset(files) AS file (digest text)
) AS used (digest, is_stored)
WHERE digest = ANY(%s)
ORDER BY place, digest
"""

# The first categories of one half of a table, by a loose index scan: each step finds the next one,
# however many entries have it.
CATEGORIES = """
WITH RECURSIVE categories AS (
    (SELECT category, lower(category) AS key FROM {table} WHERE {half} ORDER BY key LIMIT 1)
    UNION ALL
    SELECT following.* FROM categories, LATERAL (
        SELECT category, lower(category) FROM {table}
        WHERE {half} AND lower(category) > key ORDER BY lower(category) LIMIT 1
    ) AS following
)
SELECT category, key FROM categories WHERE category <> '' LIMIT 100
"""
# Of both halves. Those that differ only in case are one.
ALL_CATEGORIES = """
SELECT DISTINCT ON (key) category FROM (({published}) UNION ALL ({others})) AS halves
ORDER BY key, category
"""

# `(field, label)` for each given text that published entries have in this case or in another one.
SPELLING_OF_TEXTS = """
SELECT '{field}', known.{field}
FROM unnest(%({field})s::text[]) AS given (label), LATERAL (
    SELECT {field} FROM {table}
    WHERE {published} AND lower({field}) = lower(given.label) AND id <> %(besides)s LIMIT 1
) AS known
"""
SPELLING_IN_LISTS = """
SELECT '{field}', known.label
FROM unnest(%({field})s::varchar[]) AS given (label), LATERAL (
    SELECT label
    FROM (
        SELECT {field} FROM {table}
        WHERE {published} AND catalogue_keys({field}) @> catalogue_keys(ARRAY[given.label])
            AND id <> %(besides)s
        LIMIT 1
    ) AS entry, unnest({field}) AS label
    WHERE lower(label) = lower(given.label) LIMIT 1
) AS known
"""

# `(slug, published slug)` for each given slug that looks like another one. One scan of the index
# finds those of all slugs. There is no LIMIT, because PostgreSQL would then rather walk an index of
# all slugs.
LOOK_ALIKES = """
WITH given AS (
    SELECT slug, unnest(catalogue_look_alike_keys(slug)) AS key FROM unnest(%s::varchar[]) AS slug
), entry AS (
    SELECT slug, unnest(catalogue_look_alike_keys(slug)) AS key FROM {table}
    WHERE {published} AND id <> %s
        AND catalogue_look_alike_keys(slug) && ARRAY(SELECT key FROM given)
)
SELECT given.slug, min(entry.slug) FROM given JOIN entry USING (key)
WHERE entry.slug <> given.slug
GROUP BY given.slug
"""

HAS_STATISTICS = """
SELECT EXISTS (SELECT FROM pg_stats WHERE schemaname = current_schema AND tablename = %s)
"""
# Merge the pending lists of a table's GIN indexes, which only their owner may do.
MERGE_PENDING = """
SELECT gin_clean_pending_list(indexrelid)
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
WHERE indrelid = %s::regclass AND indisvalid AND amname = 'gin' AND pg_has_role(relowner, 'USAGE')
"""
