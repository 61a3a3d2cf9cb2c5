from django.contrib.auth.management import create_permissions
from django.db import migrations

CODENAMES = ['view_oauthclient', 'change_oauthclient', 'view_connection', 'change_connection']


def grant(apps, schema_editor):
    # Permissions are made after all migrations; these are needed now.
    config = apps.get_app_config('connections')
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    permissions = apps.get_model('auth', 'Permission').objects.filter(
        content_type__app_label='connections', codename__in=CODENAMES
    )
    for group in apps.get_model('auth', 'Group').objects.filter(name='Moderators'):
        group.permissions.add(*permissions)


class Migration(migrations.Migration):

    dependencies = [
        ('connections', '0002_ends'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('reports', '0001_initial'),
    ]

    operations = [
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
