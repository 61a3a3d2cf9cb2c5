from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('agents', '0011_token_provenance'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='agenttoken',
            index=models.Index(condition=models.Q(('provenance__isnull', False)), fields=['expires_at'], name='token_of_run_expiry'),
        ),
    ]
