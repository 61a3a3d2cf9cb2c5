from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import F


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('reviews', '0003_count_no_deleted_review'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='review',
            index=models.Index(F('persona'), F('created_at').desc(), F('id').desc(), name='review_newest'),
        ),
        AddIndexConcurrently(
            model_name='review',
            index=models.Index(F('persona'), F('counted_rating').desc(), F('id').desc(), name='review_highest'),
        ),
        AddIndexConcurrently(
            model_name='review',
            index=models.Index(F('persona'), F('counted_rating'), F('id') * -1, name='review_lowest'),
        ),
    ]
