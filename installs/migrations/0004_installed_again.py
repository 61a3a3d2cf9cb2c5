from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('installs', '0003_one_present_install'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='personainstall',
            name='one_install_per_agent_and_persona',
        ),
        migrations.RemoveConstraint(
            model_name='skillinstall',
            name='one_install_per_agent_and_skill',
        ),
    ]
