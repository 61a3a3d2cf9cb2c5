from django.contrib.auth.management import create_permissions
from django.db import migrations


# What Moderators may do besides: see operators, end their sessions and revoke their keys.
def extend_role(apps, schema_editor):
    Group = apps.get_model('auth', 'Group')
    Permission = apps.get_model('auth', 'Permission')
    # Permissions are made after all migrations; these are needed now.
    config = apps.get_app_config('agents')
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    group, _ = Group.objects.get_or_create(name='Moderators')
    group.permissions.add(
        *Permission.objects.filter(
            content_type__app_label='agents',
            codename__in=['view_operatorkey', 'change_operatorkey'],
        )
    )


class Migration(migrations.Migration):

    # Here, because the roles exist by now: a new database migrates the agents before them.
    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('agents', '0005_operator_indexes'),
        ('operators', '0001_initial'),
        ('reviews', '0001_initial'),
    ]

    operations = [migrations.RunPython(extend_role, migrations.RunPython.noop)]
