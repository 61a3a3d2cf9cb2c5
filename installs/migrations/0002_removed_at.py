from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('installs', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='personainstall',
            name='removed_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='skillinstall',
            name='removed_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name='personainstall',
            constraint=models.CheckConstraint(condition=models.Q(('is_active', False), ('removed_at', None), _connector='OR'), name='only_a_present_one_is_active'),
        ),
    ]
