from django.contrib.postgres.operations import NotInTransactionMixin
from django.db import migrations, models

CREATE = """
CREATE UNIQUE INDEX CONCURRENTLY one_pending_submission_per_file
ON submissions_submission (source_id, kind, path) WHERE state = 'pending'
"""
CONSTRAINT = models.UniqueConstraint(
    fields=["source", "kind", "path"],
    condition=models.Q(state="pending"),
    name="one_pending_submission_per_file",
)


class RunConcurrently(NotInTransactionMixin, migrations.RunSQL):
    """Agents go on submitting meanwhile."""


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('submissions', '0005_provenance'),
    ]

    operations = [
        RunConcurrently(
            CREATE,
            "DROP INDEX CONCURRENTLY one_pending_submission_per_file",
            state_operations=[
                migrations.AddConstraint(model_name="submission", constraint=CONSTRAINT),
            ],
        ),
    ]
