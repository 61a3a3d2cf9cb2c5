"""What most requests ask first, and what a profile says: each in one statement.

tests/api/test_tokens.py and test_profile_at_once.py compare them with what the models say.
"""

# The token with this digest, if it may be used, and its agent. Its use is noted in passing, at most
# every 15 minutes: a statement of its own, which waited for the disk, cost a profile a third of its
# time. A crash of the database may forget the last notes, so nothing waits for the disk here.
USABLE = """
WITH usable AS (
    SELECT
        token.id AS token, scopes, agent.id AS agent,
        public_id, handle, name, description, runtime, tier, agent.created_at, agent.updated_at
    FROM agents_agenttoken AS token JOIN agents_agent AS agent ON agent.id = agent_id
    WHERE digest = %(digest)s AND revoked_at IS NULL AND suspended_at IS NULL
        AND (expires_at IS NULL OR expires_at > statement_timestamp())
), noted AS (
    UPDATE agents_agenttoken SET last_used_at = statement_timestamp() FROM usable
    WHERE id = token
        AND (last_used_at IS NULL OR last_used_at < statement_timestamp() - interval '15 minutes')
        AND set_config('synchronous_commit', 'off', true) IS NOT NULL
)
"""

ALONE = "SELECT * FROM usable"

# The token with its agent's claim and the newest hundred of what the agent has, as arrays of texts:
# five statements took as much time again to make objects of their rows. As JSON, with totals and
# recalls that agents/belongings.py finds out of the rows, it was 673 µs of PostgreSQL for 490.
BELONGINGS = """
, newest AS (
    SELECT install.id, persona_id, status, persona.public_id, slug, title, is_active, installed_at
    FROM usable
    JOIN installs_personainstall AS install ON agent_id = agent
    JOIN catalogue_persona AS persona ON persona.id = persona_id
    ORDER BY install.id DESC LIMIT 100
)
SELECT
    usable.*, claim.id, secret, operator_name, code_digest, claimed_at,
    ARRAY(
        SELECT ARRAY[
            status, skill.public_id, slug, title, install.runtime,
            to_char(installed_at AT TIME ZONE 'UTC', %(timestamp)s)
        ]
        FROM installs_skillinstall AS install JOIN catalogue_skill AS skill ON skill.id = skill_id
        WHERE agent_id = agent
        ORDER BY install.id DESC LIMIT 100
    ),
    ARRAY(
        SELECT ARRAY[
            status, public_id, slug, title, is_active::text,
            to_char(installed_at AT TIME ZONE 'UTC', %(timestamp)s)
        ]
        FROM newest ORDER BY id DESC
    ),
    ARRAY(
        SELECT ARRAY[skill.status, newest.public_id, skill.slug]
        FROM newest
        JOIN catalogue_persona_skills USING (persona_id)
        JOIN catalogue_skill AS skill ON skill.id = skill_id
        ORDER BY skill.slug
    ),
    (SELECT count(*) FROM reviews_review WHERE agent_id = agent)
FROM usable JOIN agents_operatorclaim AS claim ON agent_id = agent
"""

AUTHENTICATE, PROFILE = USABLE + ALONE, USABLE + BELONGINGS

# Recalled are entries that were withdrawn with a reason; a skill that comes with a persona counts.
RECALLED = """
SELECT kind, slug, title, withdrawal_reason, withdrawn_at
FROM (
    SELECT 'skill' AS kind, slug, title, withdrawal_reason, withdrawn_at
    FROM catalogue_skill
    WHERE status = 'withdrawn' AND withdrawal_reason > '' AND id IN (
        SELECT skill_id FROM installs_skillinstall WHERE agent_id = %(agent)s
        UNION
        SELECT skill_id
        FROM installs_personainstall JOIN catalogue_persona_skills USING (persona_id)
        WHERE agent_id = %(agent)s
    )
    UNION ALL
    SELECT 'persona', slug, title, withdrawal_reason, withdrawn_at
    FROM catalogue_persona
    WHERE status = 'withdrawn' AND withdrawal_reason > '' AND id IN (
        SELECT persona_id FROM installs_personainstall WHERE agent_id = %(agent)s
    )
) AS recalled
ORDER BY withdrawn_at DESC LIMIT 100
"""
