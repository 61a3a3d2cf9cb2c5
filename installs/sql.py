"""Each rule as one statement that returns one row, the verdict: done, or why not.

It locks the agent's row and then, in turn, the entry's, so that a suspension, a price or a
withdrawal that is committed meanwhile counts. It writes only where nothing is in the way. If
another write of the same agent is committed after the statement's snapshot, a unique constraint
refuses the whole statement; Agent.run_alone then runs it once more, as after a deadlock.
"""

from agents.sql import WITH_ME, WITH_ME_OR_OPERATOR


def with_my_turn(kind):
    """WITH_ME, and `turn`: those who write about one entry queue here before they lock its row.

    The row itself is no good queue. All that wait for it wake at each commit, to wait for the next
    one; and while staff change a bundle, whose rows share a lock on the entry, some deadlock.
    """
    entry = f"'catalogue_{kind}'::regclass::oid::int, hashtext(%(slug)s)"
    return f"""
{WITH_ME}, turn AS (
    SELECT id AS agent_id, pg_advisory_xact_lock({entry}) FROM me
)
"""


INSTALL_SKILL = f"""
{with_my_turn("skill")}, skill AS (
    SELECT
        skill.id, skill.public_id, skill.slug, skill.digest,
        skill.status = 'published' AS is_published
    FROM turn, catalogue_skill AS skill
    WHERE skill.slug = %(slug)s
    FOR NO KEY UPDATE OF skill
), installed AS (
    SELECT install.id FROM skill, installs_skillinstall AS install
    WHERE install.agent_id = %(agent)s AND install.skill_id = skill.id AND removed_at IS NULL
), created AS (
    INSERT INTO installs_skillinstall (agent_id, skill_id, digest, runtime, installed_at)
    SELECT %(agent)s, id, digest, %(runtime)s, now()
    FROM skill WHERE is_published AND NOT EXISTS (SELECT FROM installed)
    RETURNING id, skill_id
), counted AS (
    UPDATE catalogue_skill AS skill SET downloads = downloads + 1
    FROM created WHERE skill.id = created.skill_id
)
SELECT
    (SELECT id FROM me) AS agent_id, EXISTS (SELECT FROM installed) AS is_installed,
    skill.id AS skill_id, skill.public_id AS skill_public_id, skill.slug AS skill_slug,
    created.id AS install_id
FROM (VALUES (true)) AS verdict LEFT JOIN skill ON true LEFT JOIN created ON true
"""

INSTALL_PERSONA = f"""
{with_my_turn("persona")}, persona AS (
    SELECT
        persona.id, persona.public_id, persona.slug, persona.digest,
        persona.status = 'published' AS is_published, persona.price_cents = 0 AS is_free
    FROM turn, catalogue_persona AS persona
    WHERE persona.slug = %(slug)s
    FOR NO KEY UPDATE OF persona
), installed AS (
    SELECT install.id FROM persona, installs_personainstall AS install
    WHERE install.agent_id = %(agent)s AND install.persona_id = persona.id AND removed_at IS NULL
), granted AS (
    SELECT id, digest FROM persona
    WHERE is_published AND is_free AND NOT EXISTS (SELECT FROM installed)
), deactivated AS (
    UPDATE installs_personainstall AS install SET is_active = false
    FROM granted
    WHERE install.agent_id = %(agent)s AND install.is_active AND %(activate)s
    RETURNING install.id
), created AS (
    INSERT INTO installs_personainstall (agent_id, persona_id, digest, is_active, installed_at)
    -- The count makes it wait for the deactivation.
    SELECT %(agent)s, granted.id, granted.digest, %(activate)s, now()
    FROM granted, (SELECT count(*) FROM deactivated) AS deactivated
    RETURNING id, persona_id, is_active
), counted AS (
    UPDATE catalogue_persona AS persona SET installs = installs + 1
    FROM created WHERE persona.id = created.persona_id
)
SELECT
    (SELECT id FROM me) AS agent_id, EXISTS (SELECT FROM installed) AS is_installed,
    persona.id AS persona_id, persona.public_id AS persona_public_id, persona.slug AS persona_slug,
    created.id AS install_id,
    created.is_active AS install_is_active, persona.is_published
FROM (VALUES (true)) AS verdict LEFT JOIN persona ON true LEFT JOIN created ON true
"""

UNINSTALL_SKILL = f"""
{WITH_ME_OR_OPERATOR}, removed AS (
    UPDATE installs_skillinstall AS install SET removed_at = now()
    FROM me, catalogue_skill AS skill
    WHERE install.agent_id = me.id AND install.skill_id = skill.id AND skill.slug = %(slug)s
        AND install.removed_at IS NULL
    RETURNING install.id AS install_id,
        skill.id AS skill_id, skill.public_id AS skill_public_id, skill.slug AS skill_slug
)
SELECT (SELECT id FROM me) AS agent_id, removed.*
FROM (VALUES (true)) AS verdict LEFT JOIN removed ON true
"""

UNINSTALL_PERSONA = f"""
{WITH_ME_OR_OPERATOR}, removed AS (
    UPDATE installs_personainstall AS install SET removed_at = now(), is_active = false
    FROM me, catalogue_persona AS persona
    WHERE install.agent_id = me.id AND install.persona_id = persona.id
        AND persona.slug = %(slug)s AND install.removed_at IS NULL
    RETURNING install.id AS install_id,
        persona.id AS persona_id, persona.public_id AS persona_public_id,
        persona.slug AS persona_slug
)
SELECT (SELECT id FROM me) AS agent_id, removed.*
FROM (VALUES (true)) AS verdict LEFT JOIN removed ON true
"""

# Both rows are locked, so that what is committed meanwhile counts: a withdrawal, an uninstall.
SET_ACTIVE = f"""
{with_my_turn("persona")}, installed AS (
    SELECT
        install.id, install.is_active, install.persona_id, persona.public_id, persona.slug,
        persona.status = 'published' AS is_published
    FROM turn
    JOIN installs_personainstall AS install USING (agent_id)
    JOIN catalogue_persona AS persona ON persona.id = install.persona_id
    WHERE persona.slug = %(slug)s AND install.removed_at IS NULL
    FOR NO KEY UPDATE OF install, persona
), changed AS (
    SELECT id FROM installed
    WHERE is_active <> %(activate)s AND (is_published OR NOT %(activate)s)
), deactivated AS (
    UPDATE installs_personainstall AS install SET is_active = false
    FROM changed
    WHERE install.agent_id = %(agent)s AND install.is_active
    RETURNING install.id
), activated AS (
    UPDATE installs_personainstall AS install SET is_active = true
    -- The count makes it wait for the deactivation.
    FROM changed, (SELECT count(*) FROM deactivated) AS deactivated
    WHERE install.id = changed.id AND %(activate)s
)
SELECT
    (SELECT id FROM me) AS agent_id, id AS install_id, %(activate)s AS install_is_active,
    persona_id, public_id AS persona_public_id, slug AS persona_slug, is_published
FROM (VALUES (true)) AS verdict LEFT JOIN installed ON true
"""


def upgrade_of(kind):
    """The install gets the digest that the entry has now; both rows are locked as above."""
    return f"""
{with_my_turn(kind)}, installed AS (
    SELECT
        install.id, install.digest AS previous_digest, entry.slug, entry.digest,
        entry.status = 'published' AS is_published
    FROM turn
    JOIN installs_{kind}install AS install USING (agent_id)
    JOIN catalogue_{kind} AS entry ON entry.id = install.{kind}_id
    WHERE entry.slug = %(slug)s AND install.removed_at IS NULL
    FOR NO KEY UPDATE OF install, entry
), upgraded AS (
    UPDATE installs_{kind}install AS install SET digest = installed.digest
    FROM installed
    WHERE install.id = installed.id AND is_published AND previous_digest <> installed.digest
)
SELECT
    (SELECT id FROM me) AS agent_id, installed.id AS install_id,
    slug, digest, previous_digest, is_published
FROM (VALUES (true)) AS verdict LEFT JOIN installed ON true
"""


UPGRADE_SKILL, UPGRADE_PERSONA = upgrade_of("skill"), upgrade_of("persona")
