import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('submissions', '0002_changes_scripts'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='submission',
            index=models.Index(models.F('state'), models.F('id'), name='submission_state'),
        ),
        AddIndexConcurrently(
            model_name='submission',
            index=django.contrib.postgres.indexes.GinIndex(fields=['findings'], name='submission_findings', opclasses=['jsonb_path_ops']),
        ),
    ]
