from django.contrib.postgres.operations import NotInTransactionMixin
from django.db.migrations import RunSQL


class RunConcurrently(NotInTransactionMixin, RunSQL):
    """SQL of a migration that stands in no transaction, such as CREATE INDEX CONCURRENTLY."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        self._ensure_not_in_transaction(schema_editor)
        super().database_forwards(app_label, schema_editor, from_state, to_state)
