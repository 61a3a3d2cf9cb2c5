import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0004_sorted_by_persona'),
    ]

    operations = [
        migrations.AlterField(
            model_name='review',
            name='persona',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='catalogue.persona'),
        ),
    ]
