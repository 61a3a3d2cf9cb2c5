from django.db import migrations

RECORD = r'''
-- Whoever finds a secret may revoke it (contract 15.10), and the response must not tell whether it
-- exists. So one statement does it for all texts, and triggers record it in the audit trail.
CREATE OR REPLACE FUNCTION agents_record_leak() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_auditevent
        (actor_kind, actor_name, action, object_kind, object_name, address, request_id, details)
    VALUES (
        'system', '', 'revoke_leaked', replace(TG_TABLE_NAME, 'agents_', ''), NEW.hint,
        coalesce(current_setting('audit.address', true), ''),
        coalesce(current_setting('audit.request_id', true), ''),
        jsonb_build_object('message', NEW.revocation_reason || '.')
    );
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER agents_agenttoken_leaked
    AFTER UPDATE OF revoked_at ON agents_agenttoken
    FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revocation_reason = 'Reported as leaked')
    EXECUTE FUNCTION agents_record_leak();

CREATE OR REPLACE TRIGGER agents_operatorkey_leaked
    AFTER UPDATE OF revoked_at ON agents_operatorkey
    FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revocation_reason = 'Reported as leaked')
    EXECUTE FUNCTION agents_record_leak();

CREATE OR REPLACE TRIGGER agents_invitation_leaked
    AFTER UPDATE OF revoked_at ON agents_invitation
    FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revocation_reason = 'Reported as leaked')
    EXECUTE FUNCTION agents_record_leak();
'''

FORGET = '''
DROP TRIGGER agents_agenttoken_leaked ON agents_agenttoken;
DROP TRIGGER agents_operatorkey_leaked ON agents_operatorkey;
DROP TRIGGER agents_invitation_leaked ON agents_invitation;
DROP FUNCTION agents_record_leak();
'''


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0013_deleted_agents'),
        ('audit', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(RECORD, FORGET),
    ]
