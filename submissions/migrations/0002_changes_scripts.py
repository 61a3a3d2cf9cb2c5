from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='changes_scripts',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
