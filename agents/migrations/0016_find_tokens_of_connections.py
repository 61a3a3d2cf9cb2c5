from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('agents', '0015_tokens_of_connections'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='agenttoken',
            index=models.Index(condition=models.Q(('connection__isnull', False)), fields=['connection'], name='token_of_connection'),
        ),
    ]
