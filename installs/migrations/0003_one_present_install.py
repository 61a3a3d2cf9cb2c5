from django.contrib.postgres.operations import NotInTransactionMixin
from django.db import migrations, models


class RunConcurrently(NotInTransactionMixin, migrations.RunSQL):
    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        self._ensure_not_in_transaction(schema_editor)
        super().database_forwards(app_label, schema_editor, from_state, to_state)


def one_present_install(model, other):
    """The unique constraint as an index that is built while the table is written to."""
    name = f'one_present_install_per_agent_and_{other}'
    index = (
        f'CREATE UNIQUE INDEX CONCURRENTLY {name} ON installs_{model} (agent_id, {other}_id) '
        'WHERE removed_at IS NULL'
    )
    constraint = models.UniqueConstraint(
        condition=models.Q(('removed_at', None)), fields=('agent', other), name=name
    )
    return RunConcurrently(
        index,
        f'DROP INDEX CONCURRENTLY {name}',
        state_operations=[migrations.AddConstraint(model_name=model, constraint=constraint)],
    )


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('installs', '0002_removed_at'),
    ]

    operations = [
        one_present_install('personainstall', 'persona'),
        one_present_install('skillinstall', 'skill'),
    ]
