"""Each install that succeeds as one statement: a round trip instead of five.

They say what the managers of `installs.models` say step by step; tests/api/test_install_at_once.py
compares the two. A statement that finds anything in the way does nothing at all and returns no
row: the steps then find out what it was.

The counter comes before the insert, because the update sees what was committed while it waited for
the row's lock; the snapshot of the rest is older. What that snapshot misses, a unique constraint
refuses, and with it the whole statement.
"""

INSTALL_SKILL = """
WITH me AS (
    SELECT id FROM agents_agent
    WHERE id = %(agent)s AND suspended_at IS NULL
    FOR NO KEY UPDATE
), counted AS (
    UPDATE catalogue_skill AS skill SET downloads = downloads + 1
    FROM me
    WHERE skill.slug = %(slug)s AND skill.status = 'published'
        AND NOT EXISTS (
            SELECT FROM installs_skillinstall WHERE agent_id = me.id AND skill_id = skill.id
        )
    RETURNING me.id AS agent_id, skill.id AS skill_id, skill.public_id
)
INSERT INTO installs_skillinstall (agent_id, skill_id, runtime, installed_at)
SELECT agent_id, skill_id, %(runtime)s, now() FROM counted
RETURNING id, skill_id, (SELECT public_id FROM counted)
"""

INSTALL_PERSONA = """
WITH me AS (
    SELECT id FROM agents_agent
    WHERE id = %(agent)s AND suspended_at IS NULL
    FOR NO KEY UPDATE
), counted AS (
    UPDATE catalogue_persona AS persona SET installs = installs + 1
    FROM me
    WHERE persona.slug = %(slug)s AND persona.status = 'published' AND persona.price_cents = 0
        AND NOT EXISTS (
            SELECT FROM installs_personainstall WHERE agent_id = me.id AND persona_id = persona.id
        )
    RETURNING me.id AS agent_id, persona.id AS persona_id, persona.public_id
), deactivated AS (
    UPDATE installs_personainstall AS install SET is_active = false
    FROM counted
    WHERE install.agent_id = counted.agent_id AND install.is_active AND %(activate)s
    RETURNING install.id
)
INSERT INTO installs_personainstall (agent_id, persona_id, is_active, installed_at)
SELECT agent_id, persona_id, %(activate)s, now()
FROM counted, (SELECT count(*) FROM deactivated) AS none_is_active_now
RETURNING id, persona_id, (SELECT public_id FROM counted)
"""
