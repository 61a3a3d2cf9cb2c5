"""The token with its agent, the claim, and what the agent has, in one statement.

Installs come as arrays of texts. As JSON or in separate statements, they cost PostgreSQL or this
process more (docs/develop/notebook/requests.md).
"""

from collections import namedtuple
from functools import partial

from agents.sql import USABLE
from catalogue.models import IS_PUBLISHED
from marketplace.api.fields import TIMESTAMP_FORMAT

NEWEST = 100  # rows of each kind in a profile


class TextRow:
    """A row as an array of texts in SQL, and as a named tuple in Python."""

    def __init__(self, **columns):
        self.sql = f"ARRAY[{', '.join(columns.values())}]"
        self.row = namedtuple("Row", columns)  # noqa: PYI024 - named as in SQL
        # `_make` is Python code, and a profile has up to two hundred rows.
        self._read = partial(tuple.__new__, self.row)

    def read_all(self, arrays):
        return list(map(self._read, arrays))


INSTALLED_AT = f"to_char(install.installed_at AT TIME ZONE 'UTC', '{TIMESTAMP_FORMAT}')"
OUTDATED = "outdated"  # the entry is published, and the install has another text
STATE = f"""CASE
    WHEN {{entry}}.{IS_PUBLISHED} AND {{entry}}.digest <> install.digest THEN '{OUTDATED}'
    ELSE {{entry}}.status
END"""
SKILL = TextRow(
    state=STATE.format(entry="skill"),
    public_id="skill.public_id",
    slug="skill.slug",
    title="skill.title",
    runtime="install.runtime",
    installed_at=INSTALLED_AT,
    deprecation_message="skill.deprecation_message",
    successor_slug="catalogue_skill_successor(skill.successor_id)",
)
PERSONA = TextRow(
    state="state",
    public_id="public_id",
    slug="slug",
    title="title",
    is_active="CASE WHEN install.is_active THEN 'active' ELSE '' END",
    installed_at=INSTALLED_AT,
    deprecation_message="deprecation_message",
    successor_slug="successor_slug",
)
BUNDLED = TextRow(state="skill.status", persona_id="newest.public_id", slug="skill.slug")

PROFILE = f"""
{USABLE}, newest AS (
    SELECT
        install.id, install.persona_id, install.is_active, install.installed_at,
        persona.public_id, persona.slug, persona.title, persona.deprecation_message,
        catalogue_persona_successor(persona.successor_id) AS successor_slug,
        {STATE.format(entry="persona")} AS state
    FROM usable
    JOIN installs_personainstall AS install USING (agent_id)
    JOIN catalogue_persona AS persona ON persona.id = install.persona_id
    WHERE install.removed_at IS NULL
    ORDER BY install.id DESC LIMIT {NEWEST}
)
SELECT
    usable.*,
    claim.id AS claim_id, claim.secret AS claim_secret,
    claim.operator_name AS claim_operator_name, claim.code_digest AS claim_code_digest,
    claim.claimed_at AS claim_claimed_at,
    ARRAY(
        SELECT {SKILL.sql}
        FROM installs_skillinstall AS install
        JOIN catalogue_skill AS skill ON skill.id = install.skill_id
        WHERE install.agent_id = usable.agent_id AND install.removed_at IS NULL
        ORDER BY install.id DESC LIMIT {NEWEST}
    ) AS skills,
    ARRAY(SELECT {PERSONA.sql} FROM newest AS install ORDER BY id DESC) AS personas,
    ARRAY(
        SELECT {BUNDLED.sql}
        FROM newest
        JOIN catalogue_persona_skills USING (persona_id)
        JOIN catalogue_skill AS skill ON skill.id = skill_id
        ORDER BY skill.slug
    ) AS bundled,
    (
        SELECT count(*) FROM reviews_review AS review
        WHERE review.agent_id = usable.agent_id AND review.deleted_at IS NULL
    ) AS review_count
FROM usable JOIN agents_operatorclaim AS claim USING (agent_id)
"""

MAX_SKILLS, MAX_BYTES = 200, 8 * 1024 * 1024  # whose texts a manifest includes
# Skills that are not bundled have no slug here, and nulls come last.
PLACE = 'kind, CASE WHEN is_bundled THEN slug END COLLATE "C", install_id DESC'

IS_RECALLED = """EXISTS (
    SELECT FROM catalogue_{kind}version AS pinned
    WHERE pinned.id = pinned_id AND pinned.recalled_at IS NOT NULL
)"""


# The text that an agent gets: the `pinned` version of an `entry` if there is one, else the newest.
GIVEN = """
    coalesce(pinned.title, entry.title) AS title,
    coalesce(pinned.description, entry.description) AS description,
    coalesce(pinned.version, entry.version) AS version,
    coalesce(pinned.digest, entry.digest) AS digest,
    coalesce(pinned.number, entry.number) AS number,
    pinned.id IS NOT NULL AS is_pinned,
    entry.number AS latest_number, entry.version AS latest_version, entry.digest AS latest_digest,
    coalesce(pinned.context_tokens, entry.context_tokens) AS context_tokens,
    CASE WHEN pinned.id IS NULL THEN entry.content ELSE (
        SELECT convert_from(data, 'UTF8') FROM catalogue_filecontent
        WHERE catalogue_filecontent.digest = pinned.content_digest
    ) END AS content
"""

# What agents load when they start: the active persona, the skills that it bundles, and their own.
# `agents` is the condition on `agent_id`.
LISTED = f"""
active AS (
    SELECT agent_id, persona_id, install.digest AS installed_digest, pinned_id
    FROM installs_personainstall AS install
    JOIN catalogue_persona AS persona ON persona.id = persona_id
    WHERE {{agents}} AND is_active AND {IS_PUBLISHED}
        AND NOT {IS_RECALLED.format(kind="persona")}
), own AS (
    SELECT agent_id, skill_id, id AS install_id, digest AS installed_digest, pinned_id
    FROM installs_skillinstall WHERE {{agents}} AND removed_at IS NULL
), bundled AS (
    SELECT agent_id, skill_id FROM active JOIN catalogue_persona_skills USING (persona_id)
), listed AS (
    SELECT
        agent_id, 'persona' AS kind, {GIVEN}, entry.public_id, entry.slug, installed_digest,
        entry.updated_at, deprecation_message,
        catalogue_persona_successor(successor_id) AS successor_slug,
        NULL AS files, true AS is_installed, false AS is_bundled, NULL AS install_id
    FROM active JOIN catalogue_persona AS entry ON entry.id = active.persona_id
    LEFT JOIN catalogue_personaversion AS pinned ON pinned.id = pinned_id
    UNION ALL
    SELECT
        agent_id, 'skill', {GIVEN}, entry.public_id, entry.slug, installed_digest,
        entry.updated_at, deprecation_message, catalogue_skill_successor(successor_id),
        coalesce(pinned.files, entry.files),
        install_id IS NOT NULL, bundled.skill_id IS NOT NULL, install_id
    FROM own FULL JOIN bundled USING (agent_id, skill_id)
    JOIN catalogue_skill AS entry ON entry.id = skill_id
    LEFT JOIN catalogue_skillversion AS pinned ON pinned.id = pinned_id
    WHERE {IS_PUBLISHED} AND pinned.recalled_at IS NULL
)
"""

# How many tokens of context it takes each agent to load that.
CONTEXT_TOKENS = f"""
WITH {LISTED.format(agents="agent_id = ANY(%(agents)s)")}
SELECT agent_id, sum(context_tokens) FROM listed GROUP BY agent_id
"""

# In the order of a manifest: the persona, the bundled skills, then the agent's own, the newest
# first. Sizes are read without the texts.
MANIFEST = f"""
WITH {LISTED.format(agents="agent_id = %(agent)s")}, measured AS (
    SELECT
        *,
        count(*) FILTER (WHERE kind = 'skill') OVER places <= {MAX_SKILLS}
            AND sum(octet_length(content)) OVER places <= {MAX_BYTES} AS is_within
    FROM listed
    WINDOW places AS (ORDER BY {PLACE} ROWS UNBOUNDED PRECEDING)
)
SELECT
    kind, public_id, slug, title, description, version, digest, number, is_pinned,
    latest_number, latest_version, latest_digest, installed_digest, context_tokens,
    updated_at, deprecation_message, successor_slug, files, is_installed, is_bundled, is_within,
    CASE WHEN is_within AND %(with_content)s THEN content END AS content
FROM measured
ORDER BY {PLACE}
"""
