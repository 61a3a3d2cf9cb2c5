from pathlib import Path

import django.db.models.deletion
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import F, Q

SUCCESSOR = (Path(__file__).parents[1] / 'sql' / 'successor.sql').read_text()


def message(model_name):
    return migrations.AddField(
        model_name,
        'deprecation_message',
        models.CharField(blank=True, db_default='', editable=False, max_length=1000),
    )


def successor_of_history(kind):
    """The next migration makes its index, without a lock that writes wait for."""
    field = {
        'blank': True,
        'db_constraint': False,
        'editable': False,
        'null': True,
        'on_delete': django.db.models.deletion.DO_NOTHING,
        'related_name': '+',
        'to': f'catalogue.{kind}',
    }
    without = models.ForeignKey(**field, db_index=False)
    model_name, name = f'historical{kind}', 'successor'
    return migrations.SeparateDatabaseAndState(
        database_operations=[migrations.AddField(model_name, name, without)],
        state_operations=[migrations.AddField(model_name, name, models.ForeignKey(**field))],
    )


def successor(kind):
    """The constraint is validated by the next migration, without a lock that writes wait for.

    It is checked at once: see 0010_changes.
    """
    field = {
        'db_index': False,
        'editable': False,
        'null': True,
        'on_delete': django.db.models.deletion.SET_NULL,
        'related_name': '+',
        'to': f'catalogue.{kind}',
    }
    without = models.ForeignKey(**field, db_constraint=False)
    return [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.AddField(kind, 'successor', without)],
            state_operations=[migrations.AddField(kind, 'successor', models.ForeignKey(**field))],
        ),
        migrations.RunSQL(
            f'''
                ALTER TABLE catalogue_{kind} ADD CONSTRAINT {kind}_successor
                FOREIGN KEY (successor_id) REFERENCES catalogue_{kind}
                DEFERRABLE NOT VALID
            ''',
            f'ALTER TABLE catalogue_{kind} DROP CONSTRAINT {kind}_successor',
        ),
        AddConstraintNotValid(
            model_name=kind,
            constraint=models.CheckConstraint(
                condition=Q(successor=None) | (~Q(deprecation_message='') & ~Q(successor=F('id'))),
                name=f'{kind}_successor_of_deprecated',
            ),
        ),
        migrations.RunSQL(
            SUCCESSOR.format(kind=kind), f'DROP FUNCTION catalogue_{kind}_successor(bigint)'
        ),
    ]


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0006_license_counts'),
    ]

    operations = [
        *(message(name) for name in ('historicalskill', 'historicalpersona', 'skill', 'persona')),
        successor_of_history('skill'),
        successor_of_history('persona'),
        *successor('skill'),
        *successor('persona'),
    ]
