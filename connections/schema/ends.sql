-- A connection ends in the transaction that ends what it rests on (contract 35.7), whatever statement
-- does that: its claim is released or taken over, or its key ends. A deleted agent releases its claim
-- and revokes its tokens. The tokens of connections are found by their agents, because an agent has
-- one claim and a claim one key: so the tables of connections are not read (contract 35.1).
-- In the order of their ids, so that two of these do not block each other.
CREATE OR REPLACE FUNCTION connections_end(reason text, agents bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE agents_agenttoken SET revoked_at = now(), revocation_reason = reason
    WHERE id IN (
        SELECT id
        FROM agents_agenttoken
        WHERE agent_id = ANY (agents) AND connection_id IS NOT NULL AND revoked_at IS NULL
        ORDER BY id
        FOR NO KEY UPDATE
    );
END $$;

CREATE OR REPLACE FUNCTION connections_end_of_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM connections_end('Its claim was released or taken over', ARRAY[NEW.agent_id]);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER connections_claim_ends
    AFTER UPDATE ON agents_operatorclaim
    FOR EACH ROW WHEN (
        OLD.claimed_at IS NOT NULL
        AND (OLD.claimed_at, OLD.key_id) IS DISTINCT FROM (NEW.claimed_at, NEW.key_id)
    )
    EXECUTE FUNCTION connections_end_of_claim();

CREATE OR REPLACE FUNCTION connections_end_of_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM connections_end(
        'Its operator key has ended',
        ARRAY(SELECT agent_id FROM agents_operatorclaim WHERE key_id = NEW.id)
    );
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER connections_key_ends
    AFTER UPDATE ON agents_operatorkey
    FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
    EXECUTE FUNCTION connections_end_of_key();
