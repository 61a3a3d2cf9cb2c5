from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import F


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('installs', '0007_days_so_far'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='personainstall',
            index=models.Index(F('persona'), F('id').desc(), name='persona_install_agents'),
        ),
        AddIndexConcurrently(
            model_name='skillinstall',
            index=models.Index(F('skill'), F('id').desc(), name='skill_install_agents'),
        ),
    ]
