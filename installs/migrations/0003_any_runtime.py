from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('installs', '0002_desk'),
    ]

    operations = [
        migrations.AlterField(
            model_name='skillinstall',
            name='runtime',
            field=models.TextField(blank=True),
        ),
    ]
