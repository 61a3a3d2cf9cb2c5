from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0003_digest'),
        ('reviews', '0002_counted_rating'),
    ]

    operations = [
        migrations.AddField(
            model_name='review',
            name='deleted_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        # A generated column cannot be altered. The previous release finds it as it was: this is one
        # transaction, and the new column is null in more rows, not of another type.
        migrations.RemoveField(
            model_name='review',
            name='counted_rating',
        ),
        migrations.AddField(
            model_name='review',
            name='counted_rating',
            field=models.GeneratedField(db_persist=True, expression=models.Case(models.When(deleted_at=None, hidden_at=None, then=models.F('rating'))), output_field=models.DecimalField(decimal_places=2, max_digits=3, null=True)),
        ),
    ]
