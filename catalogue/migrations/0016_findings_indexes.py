import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('catalogue', '0015_findings'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='persona',
            index=django.contrib.postgres.indexes.GinIndex(condition=models.Q(('findings__gt', [])), fields=['findings'], name='persona_findings'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=django.contrib.postgres.indexes.GinIndex(condition=models.Q(('findings__gt', [])), fields=['findings'], name='skill_findings'),
        ),
    ]
