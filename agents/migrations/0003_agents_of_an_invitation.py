from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('agents', '0002_invitations'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='agent',
            index=models.Index(models.F('invitation'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('invitation__isnull', False)), name='agent_invited'),
        ),
    ]
