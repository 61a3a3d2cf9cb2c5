"""The statements about a token's text, and the lock that every write of an agent takes first.

AUTHENTICATE also records when the token was last used, at most every 15 minutes. No request waits
for the disk because of that (synchronous_commit), so a crash of the database may lose the last few.
installs/sql.py reads the profile in the same statement.
"""

from agents.tokens import NOTED_EVERY

# The state of a token. Only a usable one is accepted (contract 4.10).
STATE = """
CASE
    WHEN agents_agenttoken.revoked_at IS NOT NULL THEN 'revoked'
    WHEN agents_agent.suspended_at IS NOT NULL THEN 'suspended'
    WHEN agents_agent.paused_at IS NOT NULL THEN 'paused'
    WHEN agents_agenttoken.expires_at <= statement_timestamp() THEN 'expired'
    ELSE 'usable'
END
"""

# The usable token with a digest, and its agent. Every column names its table, because the next
# release adds columns to both while this one still serves.
USABLE = f"""
WITH usable AS (
    SELECT
        agents_agenttoken.id AS token_id, agents_agenttoken.agent_id AS token_agent_id,
        agents_agenttoken.scopes AS token_scopes,
        agents_agenttoken.connection_id AS token_connection_id, agents_agenttoken.agent_id,
        agents_agent.public_id AS agent_public_id, agents_agent.handle AS agent_handle,
        agents_agent.name AS agent_name, agents_agent.description AS agent_description,
        agents_agent.runtime AS agent_runtime, agents_agent.tier AS agent_tier,
        agents_agent.limits AS agent_limits,
        (
            SELECT jsonb_object_agg(raised.policy, raised.requests)
            FROM agents_raisedlimit AS raised
            WHERE raised.agent_id = agents_agent.id
                AND (raised.until IS NULL OR raised.until > statement_timestamp())
        ) AS agent_raised,
        agents_agent.created_at AS agent_created_at, agents_agent.updated_at AS agent_updated_at
    FROM agents_agenttoken JOIN agents_agent ON agents_agent.id = agents_agenttoken.agent_id
    WHERE agents_agenttoken.digest = %(digest)s AND {STATE} = 'usable'
), noted AS (
    UPDATE agents_agenttoken AS token SET last_used_at = statement_timestamp()
    FROM usable
    WHERE token.id = usable.token_id
        AND (
            last_used_at IS NULL
            OR last_used_at < statement_timestamp() - interval '{NOTED_EVERY}'
        )
        AND set_config('synchronous_commit', 'off', true) IS NOT NULL
)
"""

AUTHENTICATE = f"{USABLE} SELECT * FROM usable"

# A transaction that changes nothing does not wait for the disk, so its time would reveal that the
# token does not exist. The message makes every transaction write, and so wait. The triggers of
# agents/schema/leaked.sql record the event, from the two settings.
REVOKE_BY_DIGEST = """
WITH revoked AS (
    UPDATE agents_agenttoken
    SET revoked_at = statement_timestamp(), revocation_reason = %(reason)s
    WHERE digest = %(digest)s AND revoked_at IS NULL
), revoked_key AS (
    UPDATE agents_operatorkey
    SET revoked_at = statement_timestamp(), revocation_reason = %(reason)s
    WHERE digest = %(digest)s AND revoked_at IS NULL
), revoked_invitation AS (
    UPDATE agents_invitation
    SET revoked_at = statement_timestamp(), revocation_reason = %(reason)s
    WHERE digest = %(digest)s AND revoked_at IS NULL
)
"""
# A refresh token or a code ends its connection (contract 35.6).
REVOKE_CONNECTION = """, revoked_code AS (
    UPDATE connections_authorizationcode SET spent_at = statement_timestamp()
    WHERE digest = %(digest)s AND spent_at IS NULL
), revoked_connection AS (
    UPDATE agents_agenttoken
    SET revoked_at = statement_timestamp(), revocation_reason = %(reason)s
    WHERE revoked_at IS NULL AND connection_id IN (
        SELECT id FROM connections_connection WHERE family = %(family)s
        UNION ALL
        SELECT connection_id FROM connections_authorizationcode WHERE digest = %(digest)s
    )
)
"""
WRITE_IN_ANY_CASE = """
SELECT pg_logical_emit_message(true, 'marketplace', ''),
    set_config('audit.address', %(address)s, true),
    set_config('audit.request_id', %(request_id)s, true)
"""
REVOKE = REVOKE_BY_DIGEST + WRITE_IN_ANY_CASE
REVOKE_WITH_CONNECTIONS = REVOKE_BY_DIGEST + REVOKE_CONNECTION + WRITE_IN_ANY_CASE

# The start of every statement of Agent.fetch_verdict: the lock of Agent.lock_active. Without a row
# in `me`, the agent is suspended or paused, and the statement writes nothing.
WITH_ME = """
WITH me AS (
    SELECT id FROM agents_agent
    WHERE id = %(agent)s AND suspended_at IS NULL AND paused_at IS NULL
    FOR NO KEY UPDATE
)
"""

# A repeat changes no indexed column, so it writes one row of an unlogged table and no index. Only
# the first refusal with a text makes a row, and then deletes what is too much or too old.
MAX_REFUSALS = 20  # texts of one agent
TOO_OLD = "statement_timestamp() - %(kept)s::interval"
COUNT_REFUSAL = f"""
WITH counted AS (
    INSERT INTO agents_refusal AS refusal (key, agent_id, status, text, number, first_at, last_at)
    SELECT %(key)s::uuid, %(agent)s, %(status)s::smallint, %(text)s, 1, now, now
    FROM statement_timestamp() AS now
    ON CONFLICT (key) DO UPDATE SET
        -- A row is kept from its first refusal on, and then counts anew.
        number = CASE WHEN refusal.first_at > {TOO_OLD} THEN refusal.number ELSE 0 END + 1,
        first_at = CASE
            WHEN refusal.first_at > {TOO_OLD} THEN refusal.first_at ELSE EXCLUDED.first_at
        END,
        last_at = EXCLUDED.last_at
    RETURNING refusal.number = 1 AS is_new
), expired AS (
    SELECT key FROM agents_refusal
    WHERE first_at < {TOO_OLD} AND (SELECT is_new FROM counted)
    LIMIT {MAX_REFUSALS} FOR UPDATE SKIP LOCKED
), surplus AS (
    SELECT key FROM agents_refusal
    WHERE agent_id = %(agent)s AND (SELECT is_new FROM counted)
    ORDER BY last_at DESC OFFSET {MAX_REFUSALS - 1}
)
DELETE FROM agents_refusal
WHERE key = ANY(ARRAY(SELECT key FROM expired UNION SELECT key FROM surplus))
    AND key <> %(key)s
RETURNING key
"""
