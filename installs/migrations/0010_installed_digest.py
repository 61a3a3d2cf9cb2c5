from django.db import migrations, models


def renamed(model):
    """Changes no table: the column keeps its name."""
    field = models.CharField(
        db_column='digest', db_default='', default='', editable=False, max_length=71
    )
    return [
        migrations.AlterField(model, 'digest', field),
        migrations.RenameField(model, 'digest', 'installed_digest'),
    ]


class Migration(migrations.Migration):

    dependencies = [
        ('installs', '0009_no_index_of_entry'),
    ]

    operations = [*renamed('personainstall'), *renamed('skillinstall')]
