import django.db.models.deletion
from django.db import migrations, models


def without_index(model, kind):
    """The index of the migration before begins with the key."""
    field = models.ForeignKey(
        db_index=False,
        on_delete=django.db.models.deletion.PROTECT,
        related_name='agent_installs',
        to=f'catalogue.{kind}',
    )
    return migrations.AlterField(model_name=model, name=kind, field=field)


class Migration(migrations.Migration):

    dependencies = [
        ('installs', '0008_install_agents'),
    ]

    operations = [
        without_index('personainstall', 'persona'),
        without_index('skillinstall', 'skill'),
    ]
