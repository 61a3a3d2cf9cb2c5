from django.contrib.auth.management import create_permissions
from django.db import migrations


# What Editors may do besides: see what nobody has found.
def extend_role(apps, schema_editor):
    Group = apps.get_model('auth', 'Group')
    Permission = apps.get_model('auth', 'Permission')
    # Permissions are made after all migrations; this one is needed now.
    config = apps.get_app_config('catalogue')
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    group, _ = Group.objects.get_or_create(name='Editors')
    group.permissions.add(
        *Permission.objects.filter(
            content_type__app_label='catalogue', codename='view_zeroresultsearch'
        )
    )


class Migration(migrations.Migration):

    # Here, because the roles exist by now: a new database migrates the catalogue before them.
    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('catalogue', '0015_zero_result_search'),
        ('reports', '0001_initial'),
    ]

    operations = [migrations.RunPython(extend_role, migrations.RunPython.noop)]
