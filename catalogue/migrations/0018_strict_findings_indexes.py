import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models

STRICT = ['hidden-text', 'long-gap', 'secret', 'unreadable-file']


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('catalogue', '0017_source_help'),
    ]

    operations = [
        operation
        for kind in ('persona', 'skill')
        for operation in (
            RemoveIndexConcurrently(model_name=kind, name=f'{kind}_findings'),
            AddIndexConcurrently(
                model_name=kind,
                index=django.contrib.postgres.indexes.GinIndex(condition=models.Q(('findings__overlap', STRICT)), fields=['findings'], name=f'{kind}_findings'),
            ),
        )
    ]
