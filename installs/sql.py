"""The hot writes. Each is one statement that returns one row, the verdict: done, or why not.

It locks the agent's row, queues for the entry, and locks the entry's row, so that a suspension, a
price or a withdrawal that is committed meanwhile counts. It writes only if no rule forbids it. If
another write of the same agent is committed after the statement's snapshot, a unique constraint
refuses the whole statement; Agent.fetch_verdict then runs it again, as after a deadlock.
"""

from typing import NamedTuple

from agents.sql import WITH_ME
from catalogue.models import FREE, IS_PUBLISHED


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


def install_skill(text):
    return f"""
{with_my_turn("skill")}, skill AS (
    SELECT
        skill.id, skill.public_id, skill.slug, skill.digest, skill.number, skill.archive_digest,
        skill.{IS_PUBLISHED} AS is_published
    FROM turn, catalogue_skill AS skill
    WHERE skill.slug = %(slug)s
    FOR NO KEY UPDATE OF skill
), {text.lookup}installed AS (
    SELECT install.id FROM skill, installs_skillinstall AS install
    WHERE install.agent_id = %(agent)s AND install.skill_id = skill.id AND removed_at IS NULL
), created AS (
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
), {text.lookup}installed AS (
    SELECT install.id FROM persona, installs_personainstall AS install
    WHERE install.agent_id = %(agent)s AND install.persona_id = persona.id AND removed_at IS NULL
), granted (id, digest, number, pinned_id) AS (
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
    SELECT
        %(agent)s, granted.id, granted.digest, granted.number, granted.pinned_id, %(activate)s,
        now()
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


INSTALL_SKILL, INSTALL_SKILL_VERSION = (install_skill(text("skill")) for text in (newest, chosen))
INSTALL_PERSONA, INSTALL_PERSONA_VERSION = (
    install_persona(text("persona")) for text in (newest, chosen)
)
