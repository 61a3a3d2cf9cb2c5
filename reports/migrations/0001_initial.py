import django.db.models.deletion
import simple_history.models
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models


# What each role may do, by app; the superuser may do everything.
ROLES = {
    'Editors': {
        'catalogue': [
            *('view_skill', 'add_skill', 'change_skill', 'delete_skill'),
            *('view_persona', 'add_persona', 'change_persona', 'delete_persona'),
        ],
        'importing': ['view_importrun'],
        'search': ['view_zeroresultsearch'],
        'installs': ['view_skillinstall', 'view_personainstall'],
        'reports': ['view_case', 'change_case', 'view_report'],
    },
    'Moderators': {
        'agents': [
            *('view_agent', 'change_agent', 'view_agenttoken', 'change_agenttoken'),
            *('view_operatorclaim', 'view_operatorkey', 'change_operatorkey'),
            *('view_invitation', 'change_invitation'),
        ],
        'installs': ['view_skillinstall', 'view_personainstall'],
        'reviews': ['view_review', 'change_review'],
        'reports': ['view_case', 'change_case', 'view_report'],
    },
}


def make_roles(apps, schema_editor):
    Group = apps.get_model('auth', 'Group')
    Permission = apps.get_model('auth', 'Permission')
    for app in {app for codenames in ROLES.values() for app in codenames}:
        # Permissions are made after all migrations; these are needed now.
        config = apps.get_app_config(app)
        config.models_module = True
        create_permissions(config, apps=apps, verbosity=0)
        config.models_module = None
    for role, codenames in ROLES.items():
        group, _ = Group.objects.get_or_create(name=role)
        for app, names in codenames.items():
            group.permissions.add(
                *Permission.objects.filter(content_type__app_label=app, codename__in=names)
            )


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('agents', '0001_initial'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('catalogue', '0001_initial'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('importing', '0001_initial'),
        ('installs', '0001_initial'),
        ('reviews', '0001_initial'),
        ('search', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Case',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('open_reports', models.PositiveIntegerField(default=0)),
                ('last_reported_at', models.DateTimeField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('resolved_at', models.DateTimeField(null=True)),
                ('resolution', models.TextField(blank=True, verbose_name='last resolution')),
                ('persona', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='case', to='catalogue.persona')),
                ('review', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='case', to='reviews.review')),
                ('skill', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='case', to='catalogue.skill')),
            ],
            options={
                'ordering': ['-last_reported_at', '-id'],
                'indexes': [
                    models.Index(models.OrderBy(models.F('last_reported_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('resolved_at', None)), name='case_newest'),
                    models.Index(models.OrderBy(models.F('open_reports'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('resolved_at', None)), name='case_most_reported'),
                    models.Index(models.OrderBy(models.F('last_reported_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='case_all'),
                ],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('persona', None), ('review', None), ('skill__isnull', False)), models.Q(('persona__isnull', False), ('review', None), ('skill', None)), models.Q(('persona', None), ('review__isnull', False), ('skill', None)), _connector='OR'), name='one_target_per_case')],
            },
        ),
        migrations.CreateModel(
            name='HistoricalCase',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('resolved_at', models.DateTimeField(null=True)),
                ('resolution', models.TextField(blank=True, verbose_name='last resolution')),
                ('history_change_reason', models.TextField(default='')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('persona', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.persona')),
                ('review', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='reviews.review')),
                ('skill', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.skill')),
            ],
            options={
                'verbose_name': 'historical case',
                'verbose_name_plural': 'historical cases',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('reason', models.CharField(choices=[('malicious', 'Malicious'), ('broken', 'Broken'), ('spam', 'Spam'), ('license', 'License'), ('other', 'Other')], max_length=9)),
                ('comment', models.CharField(blank=True, max_length=1000)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('resolved_at', models.DateTimeField(null=True)),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='agents.agent')),
                ('case', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='reports.case')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(models.F('case'), models.OrderBy(models.F('id'), descending=True), name='report_newest'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('resolved_at', None)), name='report_open'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('agent', 'case'), name='one_report_per_agent_and_case'),
                    models.UniqueConstraint(fields=('public_id',), name='unique_report_public_id'),
                ],
            },
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
