"""The hot writes, and the reads of the profile and the manifest.

Each write is one statement that returns one row, the verdict: done, or why not. It locks the
agent's row, queues for the entry, and locks the entry's row, so that a suspension, a price or a
new status that is committed meanwhile counts. It writes only if no rule forbids it. If another
write of the same agent is committed after the statement's snapshot, a unique constraint refuses the
whole statement; Agent.fetch_verdict then runs it again, as after a deadlock. For
many agents at once, InstallManager.replace_each has the rules of an install.
"""

from collections import namedtuple
from functools import partial
from typing import NamedTuple

from agents.sql import USABLE, WITH_ME
from catalogue.models import FREE, IS_PUBLISHED
from marketplace.api.fields import TIMESTAMP_FORMAT


def turn_of(kind):
    """The lock at which writes about one entry queue before they lock its row.

    Do not queue on the row itself: all waiters wake at each commit, to wait for the next one; and
    while staff change a bundle, whose rows share a lock on the entry, some deadlock.
    """
    return f"pg_advisory_xact_lock('catalogue_{kind}'::regclass::oid::int, hashtext(%(slug)s))"


def with_my_turn(kind):
    """WITH_ME, then the turn at the entry."""
    return f"""
{WITH_ME}, turn AS (
    SELECT id AS agent_id, {turn_of(kind)} FROM me
)
"""


class Text(NamedTuple):
    """The parts of a statement that say which text of an entry an install gets."""

    lookup: str  # a CTE, or empty
    source: str
    row: str  # the row with the digest, the number and the archive digest
    pinned: str  # the id of the pinned version

    @property
    def columns(self):
        return f"{self.row}.digest, {self.row}.number, {self.pinned}"


def newest(kind):
    return Text("", kind, kind, "NULL::bigint")


def chosen(kind):
    """The version with the `number`. It is locked, so a recall that commits first counts."""
    archive = ", version.archive_digest" if kind == "skill" else ""
    lookup = f"""version AS (
    SELECT version.digest, version.number, version.id{archive}
    FROM {kind}, catalogue_{kind}version AS version
    WHERE version.{kind}_id = {kind}.id AND version.number = %(number)s
        AND version.recalled_at IS NULL
    FOR SHARE OF version
), """
    return Text(lookup, f"{kind}, version", "version", "version.id")


def installed(kind):
    """The agent's present install of the entry."""
    return f"""installed AS (
    SELECT install.id FROM {kind}, installs_{kind}install AS install
    WHERE install.agent_id = %(agent)s AND install.{kind}_id = {kind}.id AND removed_at IS NULL
)"""


def install_skill(text):
    return f"""
{with_my_turn("skill")}, skill AS (
    SELECT
        skill.id, skill.public_id, skill.slug, skill.digest, skill.number, skill.archive_digest,
        skill.{IS_PUBLISHED} AS is_published
    FROM turn, catalogue_skill AS skill
    WHERE skill.slug = %(slug)s
    FOR NO KEY UPDATE OF skill
), {text.lookup}{installed("skill")}, created AS (
    INSERT INTO installs_skillinstall (
        agent_id, skill_id, digest, number, pinned_id, runtime, installed_at
    )
    SELECT
        %(agent)s, skill.id, {text.columns}, %(runtime)s, now()
    FROM {text.source} WHERE is_published AND NOT EXISTS (SELECT FROM installed)
    RETURNING id, skill_id, digest, number
), counted AS (
    UPDATE catalogue_skill AS skill SET downloads = downloads + 1
    FROM created WHERE skill.id = created.skill_id
)
SELECT
    (SELECT id FROM me) AS agent_id, EXISTS (SELECT FROM installed) AS is_installed,
    skill.id AS skill_id, skill.public_id AS skill_public_id, skill.slug AS skill_slug,
    created.id AS install_id, created.digest AS install_installed_digest,
    created.number AS install_number,
    (SELECT {text.row}.archive_digest FROM {text.source}) AS archive_digest, skill.is_published
FROM (VALUES (true)) AS verdict LEFT JOIN skill ON true LEFT JOIN created ON true
"""


def install_persona(text):
    return f"""
{with_my_turn("persona")}, persona AS (
    SELECT
        persona.id, persona.public_id, persona.slug, persona.digest, persona.number,
        persona.{IS_PUBLISHED} AS is_published, persona.price_cents = {FREE} AS is_free
    FROM turn, catalogue_persona AS persona
    WHERE persona.slug = %(slug)s
    FOR NO KEY UPDATE OF persona
), {text.lookup}{installed("persona")}, granted (id, digest, number, pinned_id) AS (
    SELECT persona.id, {text.columns} FROM {text.source}
    WHERE is_published AND is_free AND NOT EXISTS (SELECT FROM installed)
), deactivated AS (
    -- The previous one gives way, as in PersonaInstall.activate.
    UPDATE installs_personainstall AS install SET is_active = false
    FROM granted
    WHERE install.agent_id = %(agent)s AND install.is_active AND %(activate)s
    RETURNING install.id
), created AS (
    INSERT INTO installs_personainstall (
        agent_id, persona_id, digest, number, pinned_id, is_active, installed_at
    )
    -- The count makes it wait for the deactivation.
    SELECT %(agent)s, granted.*, %(activate)s, now()
    FROM granted, (SELECT count(*) FROM deactivated) AS deactivated
    RETURNING id, persona_id, is_active, digest, number
), counted AS (
    UPDATE catalogue_persona AS persona SET installs = installs + 1
    FROM created WHERE persona.id = created.persona_id
)
SELECT
    (SELECT id FROM me) AS agent_id, EXISTS (SELECT FROM installed) AS is_installed,
    persona.id AS persona_id, persona.public_id AS persona_public_id, persona.slug AS persona_slug,
    created.id AS install_id, created.digest AS install_installed_digest,
    created.number AS install_number, created.is_active AS install_is_active,
    persona.is_published, persona.is_free
FROM (VALUES (true)) AS verdict LEFT JOIN persona ON true LEFT JOIN created ON true
"""


# Each installs the newest text, or the version with a number.
INSTALL_SKILL = install_skill(newest("skill")), install_skill(chosen("skill"))
INSTALL_PERSONA = install_persona(newest("persona")), install_persona(chosen("persona"))

NEWEST = 100  # rows of each kind in a profile


# The profile is read with the token, in one statement. Installs come as arrays of texts. As JSON or
# in separate statements, they cost PostgreSQL or this process more
# (docs/develop/notebook/requests.md).


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
OUTDATED = "outdated"  # as in InstallQuerySet.with_entry, for pinned installs, too
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
    -- The only things that this app reads of those above it.
    (
        SELECT count(*) FROM reviews_review AS review
        WHERE review.agent_id = usable.agent_id AND review.deleted_at IS NULL
    ) AS review_count,
    (
        SELECT ARRAY[count(DISTINCT skill_id), count(DISTINCT persona_id)]
        FROM submissions_maintainer AS maintainer
        WHERE maintainer.removed_at IS NULL AND maintainer.agent_id IN (
            SELECT usable.agent_id
            UNION ALL
            SELECT other.agent_id FROM agents_operatorclaim AS other
            JOIN agents_operatorkey AS key ON key.id = other.key_id AND key.revoked_at IS NULL
            WHERE other.key_id = claim.key_id
                AND claim.claimed_at IS NOT NULL AND other.claimed_at IS NOT NULL
        )
    ) AS maintained
FROM usable JOIN agents_operatorclaim AS claim USING (agent_id)
"""

MAX_SKILLS, MAX_BYTES = 200, 8 * 1024 * 1024  # whose texts a manifest includes
# Skills that are not bundled have no slug here, and nulls come last.
PLACE = 'kind, CASE WHEN is_bundled THEN slug END COLLATE "C", install_id DESC'

# Both statements are over `{loaded}`, the rows of a compiled query (reads.py).
CONTEXT_TOKENS = "SELECT agent_id, sum(context_tokens) FROM ({loaded}) AS loaded GROUP BY agent_id"

LOADED = [
    *("kind", "public_id", "slug", "title", "description", "version", "given_digest"),
    *("given_number", "is_pinned", "latest_number", "latest_version", "latest_digest"),
    *("own_digest", "context_tokens", "updated_at", "deprecation_message", "successor_slug"),
    *("files", "frontmatter", "is_installed", "is_bundled"),
]
# In the order of a manifest: the persona, the bundled skills, then the agent's own, the newest
# first. Sizes are read without the texts.
MANIFEST = f"""
WITH measured AS (
    SELECT
        *,
        count(*) FILTER (WHERE kind = 'skill') OVER places <= {MAX_SKILLS}
            AND sum(octet_length(content)) OVER places <= {MAX_BYTES} AS is_within
    FROM ({{loaded}}) AS loaded
    WINDOW places AS (ORDER BY {PLACE} ROWS UNBOUNDED PRECEDING)
)
SELECT {", ".join(LOADED)}, is_within, CASE WHEN is_within AND %s THEN content END
FROM measured
ORDER BY {PLACE}
"""
