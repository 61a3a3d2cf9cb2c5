import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Clock',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('holder', models.CharField(max_length=300)),
                ('leased_until', models.DateTimeField()),
                ('jobs', models.JSONField(default=dict)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='only_one_clock')],
            },
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='Entries have it in their source: git:team-skills:pdf-tables/SKILL.md.', max_length=60, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z', 'Use a-z, 0-9 and single hyphens between them, such as team-skills.')])),
                ('url', models.CharField(help_text='Without a password. A deployer lists its host in SOURCE_HOSTS.', max_length=500, verbose_name='URL')),
                ('ref', models.CharField(default='main', max_length=200, validators=[django.core.validators.RegexValidator('\\A(?!.*(?:\\.\\.|//|@\\{|/\\.|\\.lock(?:/|\\Z)))\\w[\\w./@+#-]*(?<![./])\\Z', 'Write a branch or a tag, such as main.')], verbose_name='branch or tag')),
                ('token_variable', models.CharField(blank=True, help_text="The environment variable that has the repository's token: SOURCE_TOKEN_TEAM.", max_length=100, validators=[django.core.validators.RegexValidator('\\ASOURCE_TOKEN_[A-Za-z0-9_]+\\Z', 'Write the name of an environment variable that begins with SOURCE_TOKEN_.')])),
                ('kind', models.CharField(choices=[('skills', 'Skills'), ('personas', 'Personas'), ('both', 'Skills and personas')], default='skills', max_length=8, verbose_name='entries')),
                ('folder', models.CharField(blank=True, help_text='Look only there, such as packages/skills. Empty: everywhere.', max_length=500, validators=[django.core.validators.RegexValidator('\\A(?!(?:.*/)?\\.{1,2}(?:/|\\Z))[^/\\\\\\x00-\\x1f\\x7f]+(?:/[^/\\\\\\x00-\\x1f\\x7f]+)*\\Z', 'Write a folder of the repository, such as packages/skills.')])),
                ('review', models.CharField(choices=[('here', 'Here: staff publish or reject each change'), ('git', 'In git: changes are published unless inspection finds something')], default='here', max_length=4)),
                ('wait_hours', models.PositiveSmallIntegerField(default=0, help_text='A text is taken once the branch has had it for so long.', validators=[django.core.validators.MaxValueValidator(720)])),
                ('every_minutes', models.PositiveSmallIntegerField(default=60, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10080)])),
                ('state', models.CharField(choices=[('ok', 'OK'), ('failing', 'Failing'), ('paused', 'Paused')], default='ok', editable=False, max_length=7)),
                ('reason', models.CharField(blank=True, editable=False, max_length=1000)),
                ('commit', models.CharField(blank=True, editable=False, max_length=40)),
                ('synced_at', models.DateTimeField(editable=False, null=True)),
                ('rewritten_at', models.DateTimeField(editable=False, null=True)),
                ('counts', models.JSONField(default=dict, editable=False)),
                ('layouts', models.JSONField(default=dict, editable=False)),
                ('findings', models.JSONField(default=list, editable=False)),
                ('soon', models.BooleanField(default=False, editable=False)),
                ('due_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('name',), name='unique_source_name')],
            },
        ),
        migrations.CreateModel(
            name='SourceFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('skill', 'Skills'), ('persona', 'Personas')], max_length=7)),
                ('path', models.CharField(max_length=500)),
                ('slug', models.CharField(blank=True, max_length=100)),
                ('bytes_digest', models.CharField(blank=True, max_length=71)),
                ('seen_at', models.DateTimeField()),
                ('settled_digest', models.CharField(blank=True, max_length=71)),
                ('note', models.TextField(blank=True)),
                ('is_confirmed', models.BooleanField(default=False)),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='files', to='sources.source')),
            ],
            options={
                'ordering': ['path'],
                'constraints': [
                    models.UniqueConstraint(fields=('source', 'kind', 'path'), name='unique_source_file'),
                    models.CheckConstraint(condition=models.Q(('is_confirmed', False), ('bytes_digest', ''), _connector='OR'), name='only_gone_files_are_confirmed'),
                ],
            },
        ),
    ]
