from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('agents', '0004_operators'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='agent',
            index=models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('paused_at__isnull', False)), name='agent_paused'),
        ),
        AddIndexConcurrently(
            model_name='operatorclaim',
            index=models.Index(models.F('key'), condition=models.Q(('key__isnull', False)), name='claim_key'),
        ),
    ]
