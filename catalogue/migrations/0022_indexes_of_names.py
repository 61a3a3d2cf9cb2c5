import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.functions.text
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('catalogue', '0021_one_form'),
    ]

    # Their function now returns other words for the same text.
    operations = [
        RemoveIndexConcurrently(model_name='skill', name='skill_off_names'),
        AddIndexConcurrently(
            model_name='skill',
            index=django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func(django.db.models.functions.text.Concat('title', models.Value(' '), 'slug'), function='catalogue_plain', output_field=models.TextField()), config='simple'), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_names'),
        ),
        RemoveIndexConcurrently(model_name='persona', name='persona_off_names'),
        AddIndexConcurrently(
            model_name='persona',
            index=django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func(django.db.models.functions.text.Concat('title', models.Value(' '), 'slug'), function='catalogue_plain', output_field=models.TextField()), config='simple'), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_names'),
        ),
    ]
