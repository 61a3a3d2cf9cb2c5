from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0003_desk_indexes'),
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
