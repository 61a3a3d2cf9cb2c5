from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('search', '0001_initial'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='facetcount',
            index=models.Index(models.F('kind'), models.F('facet'), models.Func('value', template='lower(%(expressions)s COLLATE "default")'), condition=models.Q(('facet__in', ['word', 'implied', 'spelling']), _negated=True), name='facet_count_key'),
        ),
    ]
