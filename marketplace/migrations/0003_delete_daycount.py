from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('marketplace', '0002_history'),
    ]

    operations = [
        migrations.DeleteModel(name='DayCount'),
    ]
