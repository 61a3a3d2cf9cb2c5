"""The statement that authenticates, and the lock that every write of an agent takes first.

The first also writes when the token was last used, at most every 15 minutes. No request waits for
the disk for that (synchronous_commit), so a crash of the database may lose the last few.
profiles/sql.py reads the profile by the same statement.
"""

# Of a token: every one but a usable one is refused (contract 2).
STATE = """
CASE
    WHEN agents_agenttoken.revoked_at IS NOT NULL THEN 'revoked'
    WHEN agents_agent.suspended_at IS NOT NULL THEN 'suspended'
    WHEN agents_agenttoken.expires_at <= statement_timestamp() THEN 'expired'
    ELSE 'usable'
END
"""

# The usable token with a digest, and its agent.
USABLE = f"""
WITH usable AS (
    SELECT
        agents_agenttoken.id AS token_id, agent_id AS token_agent_id, scopes AS token_scopes,
        agent_id, public_id AS agent_public_id, handle AS agent_handle, name AS agent_name,
        description AS agent_description, runtime AS agent_runtime, tier AS agent_tier,
        agents_agent.created_at AS agent_created_at, updated_at AS agent_updated_at
    FROM agents_agenttoken JOIN agents_agent ON agents_agent.id = agent_id
    WHERE digest = %(digest)s AND {STATE} = 'usable'
), noted AS (
    UPDATE agents_agenttoken AS token SET last_used_at = statement_timestamp()
    FROM usable
    WHERE token.id = usable.token_id
        AND (last_used_at IS NULL OR last_used_at < statement_timestamp() - interval '15 minutes')
        AND set_config('synchronous_commit', 'off', true) IS NOT NULL
)
"""

AUTHENTICATE = USABLE + "SELECT * FROM usable"

# How a statement that Agent.run_alone runs begins. Without `me` the agent is suspended, and the
# statement writes nothing.
WITH_ME = """
WITH me AS (
    SELECT id FROM agents_agent
    WHERE id = %(agent)s AND suspended_at IS NULL
    FOR NO KEY UPDATE
)
"""
