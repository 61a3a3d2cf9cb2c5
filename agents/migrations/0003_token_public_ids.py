from django.contrib.postgres.operations import AddIndexConcurrently, NotInTransactionMixin
from django.db import migrations, models


class RunConcurrently(NotInTransactionMixin, migrations.RunSQL):
    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        self._ensure_not_in_transaction(schema_editor)
        super().database_forwards(app_label, schema_editor, from_state, to_state)


# In short transactions, so that no request waits long for the row of its token.
FILL = """
DO $$
BEGIN
    FOR start IN 0 .. (SELECT coalesce(max(id), 0) FROM agents_agenttoken) BY 1000 LOOP
        UPDATE agents_agenttoken SET public_id = DEFAULT
        WHERE id BETWEEN start AND start + 999 AND public_id = '';
        COMMIT;
    END LOOP;
END $$
"""


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('agents', '0002_token_names'),
    ]

    operations = [
        RunConcurrently([FILL], migrations.RunSQL.noop),
        RunConcurrently(
            'CREATE UNIQUE INDEX CONCURRENTLY unique_token_public_id ON agents_agenttoken (public_id)',
            'DROP INDEX CONCURRENTLY unique_token_public_id',
            state_operations=[
                migrations.AddConstraint(
                    model_name='agenttoken',
                    constraint=models.UniqueConstraint(
                        models.F('public_id'), name='unique_token_public_id'
                    ),
                )
            ],
        ),
        AddIndexConcurrently(
            model_name='agenttoken',
            index=models.Index(
                models.OrderBy(models.F('id'), descending=True),
                condition=models.Q(('revocation_reason', 'Reported as leaked')),
                name='token_leaked',
            ),
        ),
    ]
