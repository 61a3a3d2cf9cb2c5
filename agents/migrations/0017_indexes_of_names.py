import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.functions.text
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('agents', '0016_find_tokens_of_connections'),
        ('catalogue', '0021_one_form'),
    ]

    # Their function now returns other words for the same text.
    operations = [
        RemoveIndexConcurrently(model_name='agent', name='agent_words'),
        AddIndexConcurrently(
            model_name='agent',
            index=django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func(django.db.models.functions.text.Concat('handle', models.Value(' '), 'name'), function='catalogue_plain', output_field=models.TextField()), config='simple'), name='agent_words'),
        ),
        RemoveIndexConcurrently(model_name='operatorclaim', name='claim_words'),
        AddIndexConcurrently(
            model_name='operatorclaim',
            index=django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func('operator_name', function='catalogue_plain', output_field=models.TextField()), config='simple'), condition=models.Q(('operator_email', ''), _negated=True), name='claim_words'),
        ),
    ]
