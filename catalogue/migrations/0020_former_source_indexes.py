import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('catalogue', '0019_former_source'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='persona',
            index=django.contrib.postgres.indexes.HashIndex(condition=models.Q(('former_source', ''), _negated=True), fields=['former_source'], name='persona_former_source'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=django.contrib.postgres.indexes.HashIndex(condition=models.Q(('former_source', ''), _negated=True), fields=['former_source'], name='skill_former_source'),
        ),
    ]
