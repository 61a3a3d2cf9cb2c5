"""What most requests ask first, and what a profile says: each in one statement.

tests/test_tokens.py and tests/test_profile_at_once.py compare them with what the models say.
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

# The token with its agent's claim and everything that the agent has, as the JSON of the wire. It
# took five statements, and as much time again to make objects of their rows only to make JSON of
# those. Recalled are entries that were withdrawn with a reason; a skill that comes with a persona
# counts.
BELONGINGS = """
SELECT usable.*, claim.id, secret, operator_name, code_digest, claimed_at, json_build_object(
    'activePersona', (
        SELECT json_build_object('personaId', public_id, 'slug', slug, 'title', title)
        FROM installs_personainstall JOIN catalogue_persona AS persona ON persona.id = persona_id
        WHERE agent_id = agent AND is_active
    ),
    'skills', ARRAY(
        SELECT json_build_object(
            'skillId', public_id, 'slug', slug, 'title', title, 'runtime', runtime,
            'installedAt', to_char(installed_at AT TIME ZONE 'UTC', %(timestamp)s)
        )
        FROM installs_skillinstall AS install JOIN catalogue_skill AS skill ON skill.id = skill_id
        WHERE agent_id = agent
        ORDER BY install.id DESC LIMIT 100
    ),
    'personas', ARRAY(
        SELECT json_build_object(
            'personaId', public_id, 'slug', slug, 'title', title, 'isActive', is_active,
            'installedAt', to_char(installed_at AT TIME ZONE 'UTC', %(timestamp)s),
            'skills', ARRAY(
                SELECT skill.slug
                FROM catalogue_persona_skills JOIN catalogue_skill AS skill ON skill.id = skill_id
                WHERE persona_id = persona.id AND skill.status = 'published'
                ORDER BY skill.slug
            )
        )
        FROM installs_personainstall AS install
        JOIN catalogue_persona AS persona ON persona.id = persona_id
        WHERE agent_id = agent
        ORDER BY install.id DESC LIMIT 100
    ),
    'advisories', ARRAY(
        SELECT json_build_object(
            'kind', kind, 'slug', slug, 'title', title, 'reason', withdrawal_reason,
            'withdrawnAt', to_char(withdrawn_at AT TIME ZONE 'UTC', %(timestamp)s)
        )
        FROM (
            SELECT 'skill' AS kind, slug, title, withdrawal_reason, withdrawn_at
            FROM catalogue_skill
            WHERE status = 'withdrawn' AND withdrawal_reason > '' AND id IN (
                SELECT skill_id FROM installs_skillinstall WHERE agent_id = agent
                UNION
                SELECT skill_id
                FROM installs_personainstall JOIN catalogue_persona_skills USING (persona_id)
                WHERE agent_id = agent
            )
            UNION ALL
            SELECT 'persona', slug, title, withdrawal_reason, withdrawn_at
            FROM catalogue_persona
            WHERE status = 'withdrawn' AND withdrawal_reason > '' AND id IN (
                SELECT persona_id FROM installs_personainstall WHERE agent_id = agent
            )
        ) AS recalled
        ORDER BY withdrawn_at DESC LIMIT 100
    ),
    'counts', json_build_object(
        'skills', (SELECT count(*) FROM installs_skillinstall WHERE agent_id = agent),
        'personas', (SELECT count(*) FROM installs_personainstall WHERE agent_id = agent),
        'reviews', (SELECT count(*) FROM reviews_review WHERE agent_id = agent)
    )
)::text
FROM usable JOIN agents_operatorclaim AS claim ON agent_id = agent
"""

AUTHENTICATE, PROFILE = USABLE + ALONE, USABLE + BELONGINGS
