from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


def validated(kind):
    return [
        migrations.RunSQL(
            f'ALTER TABLE catalogue_{kind} VALIDATE CONSTRAINT {kind}_successor',
            migrations.RunSQL.noop,
        ),
        ValidateConstraint(model_name=kind, name=f'{kind}_successor_of_deprecated'),
    ]


class Migration(migrations.Migration):
    """No write waits for its locks."""

    dependencies = [
        ('catalogue', '0007_deprecation'),
    ]

    operations = [*validated('skill'), *validated('persona')]
