from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('installs', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='personainstall',
            name='removed_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='skillinstall',
            name='removed_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
