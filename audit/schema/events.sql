-- The audit trail (contract 33): its events never change, and a reader passes none by.

CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('audit.pruning', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE 'The audit trail never changes. Only manage.py prune_audit deletes from it.'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER audit_auditevent_kept
    BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

-- A transaction that inserts holds a lock, until its commit is visible or it has rolled back. The
-- lock names an id below all that it gets, because the trigger of a statement runs before the
-- sequence gives an id to any of its rows. The lock is shared: nobody waits for it.
CREATE OR REPLACE FUNCTION audit_open_ids() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_id bigint := coalesce(pg_sequence_last_value('audit_auditevent_id_seq'), 0);
BEGIN
    IF nullif(current_setting('audit.has_open_ids', true), '') IS NULL THEN
        PERFORM pg_advisory_xact_lock_shared(
            'audit_auditevent'::regclass::oid::int, (last_id % (1::bigint << 31))::int
        );
        PERFORM set_config('audit.has_open_ids', 'yes', true);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER audit_auditevent_open
    BEFORE INSERT ON audit_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION audit_open_ids();
