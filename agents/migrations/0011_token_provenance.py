from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0010_operator_verified'),
    ]

    operations = [
        migrations.AddField(
            model_name='agenttoken',
            name='provenance',
            field=models.JSONField(editable=False, null=True),
        ),
    ]
