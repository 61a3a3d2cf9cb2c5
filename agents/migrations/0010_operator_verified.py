from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0009_submit_scope'),
    ]

    operations = [
        migrations.AddField(
            model_name='operatorkey',
            name='verified_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
