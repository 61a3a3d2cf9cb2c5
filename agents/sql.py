"""The statement that authenticates: the usable token with a digest, and its agent.

It also writes when the token was last used, at most every 15 minutes. No request waits for the disk
for that (synchronous_commit), so a crash of the database may lose the last few. profiles/sql.py
reads the profile by the same statement.
"""

USABLE = """
WITH usable AS (
    SELECT
        token.id AS token_id, token.agent_id AS token_agent_id, token.scopes AS token_scopes,
        agent.id AS agent_id, agent.public_id AS agent_public_id, agent.handle AS agent_handle,
        agent.name AS agent_name, agent.description AS agent_description,
        agent.runtime AS agent_runtime, agent.tier AS agent_tier,
        agent.created_at AS agent_created_at, agent.updated_at AS agent_updated_at
    FROM agents_agenttoken AS token JOIN agents_agent AS agent ON agent.id = token.agent_id
    WHERE token.digest = %(digest)s
        AND token.revoked_at IS NULL AND agent.suspended_at IS NULL
        AND (token.expires_at IS NULL OR token.expires_at > statement_timestamp())
), noted AS (
    UPDATE agents_agenttoken AS token SET last_used_at = statement_timestamp()
    FROM usable
    WHERE token.id = usable.token_id
        AND (last_used_at IS NULL OR last_used_at < statement_timestamp() - interval '15 minutes')
        AND set_config('synchronous_commit', 'off', true) IS NOT NULL
)
"""

AUTHENTICATE = USABLE + "SELECT * FROM usable"  # noqa: S608
