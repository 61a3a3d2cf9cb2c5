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
    (SELECT category FROM {table} WHERE {half} ORDER BY category LIMIT 1)
    UNION ALL
    SELECT (SELECT category FROM {table}
            WHERE {half} AND category > categories.category ORDER BY category LIMIT 1)
    FROM categories WHERE categories.category IS NOT NULL
)
SELECT category FROM categories WHERE category <> '' LIMIT 100
"""
