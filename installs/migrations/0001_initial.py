import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('agents', '0001_initial'),
        ('catalogue', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='PersonaInstall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('installed_at', models.DateTimeField(auto_now_add=True)),
                ('removed_at', models.DateTimeField(editable=False, null=True)),
                ('installed_digest', models.CharField(db_column='digest', db_default='', default='', editable=False, max_length=71)),
                ('number', models.PositiveIntegerField(editable=False, null=True)),
                ('is_active', models.BooleanField(default=False)),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='persona_installs', to='agents.agent')),
                ('persona', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='agent_installs', to='catalogue.persona')),
                ('pinned', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalogue.personaversion')),
            ],
            options={
                'ordering': ['-id'],
                'abstract': False,
                'indexes': [
                    models.Index(models.F('agent'), models.OrderBy(models.F('id'), descending=True), name='persona_install_newest'),
                    models.Index(models.F('persona'), models.OrderBy(models.F('installed_at'), descending=True), name='persona_install_times'),
                    django.contrib.postgres.indexes.BrinIndex(autosummarize=True, fields=['installed_at'], name='persona_install_day'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('removed_at__isnull', False)), name='persona_install_removed'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('removed_at', None)), fields=('agent', 'persona'), name='one_present_install_per_agent_and_persona'),
                    models.UniqueConstraint(condition=models.Q(('is_active', True)), fields=('agent',), name='one_active_persona_per_agent'),
                    models.CheckConstraint(condition=models.Q(('is_active', False), ('removed_at', None), _connector='OR'), name='only_a_present_one_is_active'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SkillInstall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('installed_at', models.DateTimeField(auto_now_add=True)),
                ('removed_at', models.DateTimeField(editable=False, null=True)),
                ('installed_digest', models.CharField(db_column='digest', db_default='', default='', editable=False, max_length=71)),
                ('number', models.PositiveIntegerField(editable=False, null=True)),
                ('runtime', models.TextField(blank=True)),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='skill_installs', to='agents.agent')),
                ('pinned', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalogue.skillversion')),
                ('skill', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='agent_installs', to='catalogue.skill')),
            ],
            options={
                'ordering': ['-id'],
                'abstract': False,
                'indexes': [
                    models.Index(models.F('agent'), models.OrderBy(models.F('id'), descending=True), name='skill_install_newest'),
                    models.Index(models.F('skill'), models.OrderBy(models.F('installed_at'), descending=True), name='skill_install_times'),
                    django.contrib.postgres.indexes.BrinIndex(autosummarize=True, fields=['installed_at'], name='skill_install_day'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('removed_at__isnull', False)), name='skill_install_removed'),
                ],
                'constraints': [models.UniqueConstraint(condition=models.Q(('removed_at', None)), fields=('agent', 'skill'), name='one_present_install_per_agent_and_skill')],
            },
        ),
    ]
