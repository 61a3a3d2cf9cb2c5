from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import F, Q

from marketplace.db.operations import RunConcurrently


def indexes(kind):
    return [
        AddIndexConcurrently(
            model_name=kind,
            index=models.Index(
                F('successor'), condition=Q(successor__isnull=False), name=f'{kind}_successor'
            ),
        ),
        # That of the foreign key, which the state of the migrations has already.
        RunConcurrently(
            f'CREATE INDEX CONCURRENTLY historical{kind}_successor '
            f'ON catalogue_historical{kind} (successor_id)',
            f'DROP INDEX CONCURRENTLY historical{kind}_successor',
        ),
    ]


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('catalogue', '0008_deprecation_validated'),
    ]

    operations = [*indexes('skill'), *indexes('persona')]
