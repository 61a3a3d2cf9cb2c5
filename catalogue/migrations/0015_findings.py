import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0014_look_alike_indexes'),
    ]

    operations = [
        migrations.AddField(
            model_name='persona',
            name='findings',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), blank=True, editable=False, null=True, size=None),
        ),
        migrations.AddField(
            model_name='skill',
            name='findings',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), blank=True, editable=False, null=True, size=None),
        ),
    ]
