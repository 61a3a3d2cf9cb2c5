from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0004_of_source'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='provenance',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='submittedversion',
            name='provenance',
            field=models.JSONField(null=True),
        ),
    ]
