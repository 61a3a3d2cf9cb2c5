"""The statements of sources.py, and below them those of store.py."""

from django.db import connection

from catalogue.models import FREE, IS_PUBLISHED
from interfaces.git.models import DEFAULT_NAME


def rows_of(statement, params=()):
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall()


# A plugin has one version of an entry. The plugin of a persona cannot have a slug in `taken`.
PLUGIN = """
SELECT '{kind}' AS kind, entry.id, version.id, entry.slug, version.number, entry.title, entry.description,
    entry.category, entry.author, {bundled} AS bundled, {taken} AS taken
FROM catalogue_{kind} AS entry {join} JOIN catalogue_{kind}version AS version
    ON version.{kind}_id = entry.id AND version.number = {number}
WHERE {where}
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
    SELECT slug FROM catalogue_skill
    WHERE slug = ANY(entry.slug::text || {PERSONA_NAMES}) AND {IS_PUBLISHED}
    UNION SELECT slug FROM catalogue_persona WHERE slug = ANY({PERSONA_NAMES}) AND {IS_PUBLISHED}
    ORDER BY slug
)::text[]"""


def plugins(kind, where, *, join="", number="entry.number"):
    bundled, taken = (BUNDLED, TAKEN) if kind == "persona" else ("'{}'::bigint[]", "'{}'::text[]")
    return PLUGIN.format(
        kind=kind, bundled=bundled, taken=taken, join=join, number=number, where=where
    )


def installed_plugins(kind):
    """A statement that selects the plugins by arrays of slugs and version numbers."""
    join = (
        f"JOIN unnest(%({kind}s)s::text[], %({kind}_numbers)s::int[]) AS installed (slug, number)"
        " ON installed.slug = entry.slug"
    )
    return plugins(kind, "true", join=join, number="installed.number")


CATALOGUE = f"""
SELECT * FROM (
    {plugins("skill", f"entry.{IS_PUBLISHED}")}
    UNION ALL
    {plugins("persona", f"entry.{IS_PUBLISHED} AND price_cents = {FREE}")}
) AS plugin ORDER BY slug COLLATE "C", kind LIMIT %(limit)s
"""
PERSONA = plugins("persona", f"entry.slug = %(slug)s AND entry.{IS_PUBLISHED}")
INSTALLED = f"{installed_plugins('skill')} UNION ALL {installed_plugins('persona')}"
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
