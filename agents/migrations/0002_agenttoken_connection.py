import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('agents', '0001_initial'),
        ('connections', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='agenttoken',
            name='connection',
            field=models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='connections.connection'),
        ),
        migrations.AddIndex(
            model_name='agenttoken',
            index=models.Index(condition=models.Q(('connection__isnull', False)), fields=['connection'], name='token_of_connection'),
        ),
    ]
