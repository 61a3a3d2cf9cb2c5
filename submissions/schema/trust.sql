-- Trust ends with the operator who was known, or with a suspension, and does not come back by
-- itself: whatever writes these columns, staff have to set it again.
CREATE OR REPLACE FUNCTION submissions_end_trust() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE submissions_maintainer SET trusted_at = NULL
    WHERE trusted_at IS NOT NULL AND agent_id IN (
        SELECT NEW.id WHERE TG_TABLE_NAME = 'agents_agent'
        UNION ALL
        SELECT claim.agent_id FROM agents_operatorclaim AS claim
        WHERE (TG_TABLE_NAME = 'agents_operatorclaim' AND claim.id = NEW.id)
            OR (TG_TABLE_NAME = 'agents_operatorkey' AND claim.key_id = NEW.id)
    );
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER submissions_suspended
    AFTER UPDATE OF suspended_at ON agents_agent
    FOR EACH ROW WHEN (NEW.suspended_at IS NOT NULL)
    EXECUTE FUNCTION submissions_end_trust();

CREATE OR REPLACE TRIGGER submissions_claimed
    AFTER UPDATE OF claimed_at, key_id ON agents_operatorclaim
    FOR EACH ROW WHEN ((OLD.claimed_at, OLD.key_id) IS DISTINCT FROM (NEW.claimed_at, NEW.key_id))
    EXECUTE FUNCTION submissions_end_trust();

CREATE OR REPLACE TRIGGER submissions_key_ended
    AFTER UPDATE OF revoked_at ON agents_operatorkey
    FOR EACH ROW WHEN (NEW.revoked_at IS NOT NULL)
    EXECUTE FUNCTION submissions_end_trust();
