from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import F


def index(*columns, name):
    return AddIndexConcurrently(model_name='change', index=models.Index(*columns, name=name))


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('catalogue', '0010_changes'),
    ]

    operations = [
        index(F('changed_at'), F('id') * -1, name='change_position'),
        index('kind', F('changed_at'), F('id') * -1, name='change_position_of_kind'),
    ]
