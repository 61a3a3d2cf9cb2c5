"""The statements of sources.py, and below them those of store.py."""

from django.db import connection

from catalogue.models import FREE, IS_PUBLISHED
from interfaces.git.models import DEFAULT_NAME


def rows_of(statement, params=()):
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall()


def reason_of(kind, entry):
    """Why clients are told not to use an unpublished entry, or NULL: its recall, or its purge."""
    return f"""CASE WHEN {entry}.number > 0 AND NOT {entry}.{IS_PUBLISHED} THEN coalesce(
        nullif({entry}.withdrawal_reason, ''),
        (
            SELECT recall_reason FROM catalogue_{kind}version
            WHERE {kind}_id = {entry}.id AND number = {entry}.number AND title = ''
        )
    ) END"""


# A plugin has one version of an entry. The plugin of a persona cannot have a slug in `taken`. One
# with a `reason` is a tombstone.
PLUGIN = """
SELECT '{kind}' AS kind, entry.id, version.id AS version_id, entry.slug, version.number,
    entry.title, entry.description, entry.category, entry.author, entry.license,
    entry.tags::text[] AS tags, {bundled} AS bundled, {taken} AS taken, '' AS reason,
    '' AS successor, true AS is_present
FROM catalogue_{kind} AS entry {join} JOIN catalogue_{kind}version AS version
    ON version.{kind}_id = entry.id AND version.number = {number}
WHERE {where}
"""
TOMBSTONE = """
SELECT '{kind}' AS kind, entry.id, 0::bigint AS version_id, entry.slug, {number} AS number,
    entry.slug AS title, '' AS description, '' AS category, '' AS author,
    '' AS license, '{{}}'::text[] AS tags, '{{}}'::bigint[] AS bundled, {taken} AS taken, reason,
    coalesce(catalogue_{kind}_successor(entry.successor_id), '') AS successor, {is_present}
FROM catalogue_{kind} AS entry {join}, LATERAL (SELECT {reason} AS reason) AS recall
WHERE reason IS NOT NULL AND {where}
"""
BUNDLED = f"""ARRAY(
    SELECT bundled.id FROM catalogue_persona_skills AS link
    JOIN catalogue_skill AS skill ON skill.id = link.skill_id
    JOIN catalogue_skillversion AS bundled
        ON bundled.skill_id = skill.id AND bundled.number = skill.number
    WHERE link.persona_id = entry.id AND skill.{IS_PUBLISHED}
    ORDER BY skill.slug COLLATE "C"
)"""
PERSONA_NAMES = """ARRAY(
    SELECT entry.slug || '-persona' || rest
    FROM unnest(ARRAY['', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9']) AS rest
)"""
TAKEN = f"""ARRAY(
    SELECT slug FROM catalogue_skill AS other
    WHERE slug = ANY(entry.slug::text || {PERSONA_NAMES})
        AND ({IS_PUBLISHED} OR {reason_of("skill", "other")} IS NOT NULL)
    UNION SELECT slug FROM catalogue_persona AS other
    WHERE slug = ANY({PERSONA_NAMES})
        AND ({IS_PUBLISHED} OR {reason_of("persona", "other")} IS NOT NULL)
    ORDER BY slug
)::text[]"""


def taken_of(kind):
    return TAKEN if kind == "persona" else "'{}'::text[]"


def plugins(kind, where, *, join="", number="entry.number"):
    bundled = BUNDLED if kind == "persona" else "'{}'::bigint[]"
    return PLUGIN.format(
        kind=kind, bundled=bundled, taken=taken_of(kind), join=join, number=number, where=where
    )


def tombstones(kind, where, **parts):
    defaults = {
        "join": "",
        "number": "entry.number",
        "is_present": "true",
        "reason": reason_of(kind, "entry"),
    }
    return TOMBSTONE.format(kind=kind, where=where, taken=taken_of(kind), **(defaults | parts))


def installed_plugins(kind):
    """A statement that selects the plugins by arrays of slugs and version numbers."""
    join = (
        f"JOIN unnest(%({kind}s)s::text[], %({kind}_numbers)s::int[]) AS installed (slug, number)"
        " ON installed.slug = entry.slug"
    )
    return plugins(kind, "true", join=join, number="installed.number")


# What an agent has ever had: its installs, what its personas bundle, and what its repository had.
# Its newest install of an entry says what it still has, and to which version that is pinned.
HAD = """JOIN (
    SELECT had_id, bool_or(is_present) AS is_present, max(pinned_id) AS pinned_id FROM (
        (
            SELECT DISTINCT ON ({kind}_id) {kind}_id AS had_id, removed_at IS NULL AS is_present,
                pinned_id
            FROM installs_{kind}install WHERE agent_id = %(agent)s
            ORDER BY {kind}_id, id DESC
        )
        {bundled}
        UNION ALL SELECT entry_id, false, NULL FROM git_pluginversion
        WHERE repository = %(repository)s AND kind = '{kind}'
    ) AS had GROUP BY had_id
) AS had ON had.had_id = entry.id
LEFT JOIN catalogue_{kind}version AS pinned ON pinned.id = had.pinned_id"""
HAD_WITH_PERSONA = """UNION ALL SELECT skill_id, removed_at IS NULL, NULL
        FROM installs_personainstall JOIN catalogue_persona_skills USING (persona_id)
        WHERE agent_id = %(agent)s"""


def tombstones_of_agent(kind):
    return tombstones(
        kind,
        "true",
        join=HAD.format(kind=kind, bundled=HAD_WITH_PERSONA if kind == "skill" else ""),
        number="coalesce(pinned.number, entry.number)",
        is_present="had.is_present",
        reason=f"""coalesce(
            {reason_of(kind, "entry")},
            CASE WHEN pinned.recalled_at IS NOT NULL THEN pinned.recall_reason END
        )""",
    )


IS_FREE = f"price_cents = {FREE}"
# The condition is that of an index.
UNPUBLISHED = f"entry.number > 0 AND NOT entry.{IS_PUBLISHED}"
# One statement, so that an entry that is recalled meanwhile is there once.
CATALOGUE = f"""
(
    SELECT * FROM (
        {plugins("skill", f"entry.{IS_PUBLISHED}")}
        UNION ALL
        {plugins("persona", f"entry.{IS_PUBLISHED} AND {IS_FREE}")}
    ) AS plugin ORDER BY slug COLLATE "C", kind LIMIT %(limit)s
)
UNION ALL
{tombstones("skill", UNPUBLISHED)}
UNION ALL
{tombstones("persona", f"{UNPUBLISHED} AND {IS_FREE}")}
"""
PERSONA = f"""
{plugins("persona", f"entry.slug = %(slug)s AND entry.{IS_PUBLISHED}")}
UNION ALL
{tombstones("persona", "entry.slug = %(slug)s")}
"""
INSTALLED = " UNION ALL ".join(
    [
        *map(installed_plugins, ("skill", "persona")),
        *map(tombstones_of_agent, ("skill", "persona")),
    ]
)
# The versions of a skill, oldest first, with what the tombstone of a recalled one says.
HISTORY = f"""
SELECT version.id, version.number, version.recalled_at, version.created_at, version.title <> '',
    skill.id, coalesce({reason_of("skill", "skill")}, ''),
    coalesce(catalogue_skill_successor(skill.successor_id), ''),
    coalesce(skill.withdrawn_at, skill.updated_at)
FROM catalogue_skill AS skill JOIN catalogue_skillversion AS version ON version.skill_id = skill.id
WHERE skill.slug = %(slug)s
    AND (skill.{IS_PUBLISHED} OR {reason_of("skill", "skill")} IS NOT NULL)
ORDER BY version.number
"""
FOLDERS = """
SELECT version.id, slug, skill_md_digest, version.files
FROM catalogue_skillversion AS version JOIN catalogue_skill AS skill ON skill.id = skill_id
WHERE version.id = ANY(%s)
"""
PROMPTS = """
SELECT version.id, frontmatter, data FROM catalogue_personaversion AS version
JOIN catalogue_filecontent ON catalogue_filecontent.digest = content_digest
WHERE version.id = ANY(%s)
"""
# What the marketplaces are called, and whether there is a repository of the whole catalogue.
MARKETPLACE = f"""
    coalesce((SELECT name FROM git_marketplacename), '{DEFAULT_NAME}') AS marketplace,
    (SELECT count(*) FROM (
        SELECT FROM catalogue_skill WHERE {IS_PUBLISHED} LIMIT %(most)s + 1
    ) AS skill) + (SELECT count(*) FROM (
        SELECT FROM catalogue_persona WHERE {IS_PUBLISHED} AND price_cents = {FREE}
        LIMIT %(most)s + 1
    ) AS persona) <= %(most)s AS has_catalogue
"""

# Making the commits of a large repository takes longer than other requests may wait for a lock.
PATIENCE = """
SELECT set_config('lock_timeout', '15s', true), set_config('statement_timeout', '20s', true)
"""
# A purge takes the same lock exclusively (schema/forgotten.sql).
SHARE = "SELECT pg_advisory_xact_lock_shared('git_repository'::regclass::oid::int, 0)"
STORED = "SELECT content, sha FROM git_object WHERE content = ANY(%s)"
SIZES = """
SELECT digest, octet_length(data) FROM catalogue_filecontent WHERE digest = ANY(%s)
ORDER BY digest COLLATE "C"
"""
NUMBERS = "SELECT sha, number FROM git_commit WHERE repository_id = %s AND sha = ANY(%s)"
COMMITS = """
SELECT data FROM git_commit JOIN unnest(%s::int[], %s::int[]) AS part (first, last)
    ON number BETWEEN part.first AND part.last
WHERE repository_id = %s
"""
# The objects in the trees of some commits, without those in the trees of others.
OBJECTS = """
SELECT sha, size FROM git_object WHERE sha IN (
    SELECT sha FROM git_presence AS there JOIN unnest(%s::int[], %s::int[]) AS part (first, last)
        ON there.first <= part.last AND there.last >= part.first
    WHERE repository_id = %s
    EXCEPT
    SELECT sha FROM git_presence AS there JOIN unnest(%s::int[]) AS known
        ON known BETWEEN there.first AND there.last
    WHERE repository_id = %s
)
"""
DATA = "SELECT data FROM git_object WHERE sha = ANY(%s)"
HEADERS = "SELECT sha, size, substr(data, 1, 5) FROM git_object WHERE sha = ANY(%s)"
PRESENT_HEADERS = f"""
{HEADERS} AND EXISTS (
    SELECT FROM git_presence AS there
    WHERE there.repository_id = %s AND there.sha = git_object.sha
)
"""
