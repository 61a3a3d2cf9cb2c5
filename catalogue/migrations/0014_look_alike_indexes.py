import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('catalogue', '0013_look_alike_keys'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='persona',
            index=django.contrib.postgres.indexes.GinIndex(models.Func('slug', function='catalogue_look_alike_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published')), name='persona_look_alike'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=django.contrib.postgres.indexes.GinIndex(models.Func('slug', function='catalogue_look_alike_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published')), name='skill_look_alike'),
        ),
    ]
