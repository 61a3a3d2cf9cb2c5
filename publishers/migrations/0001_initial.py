import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('agents', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='ExchangedToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('digest',), name='unique_exchanged_token')],
            },
        ),
        migrations.CreateModel(
            name='Issuer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=255)),
                ('keys', models.JSONField(default=list)),
                ('fetched_at', models.DateTimeField(null=True)),
                ('tried_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('url',), name='unique_issuer_url')],
            },
        ),
        migrations.CreateModel(
            name='Publisher',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('issuer', models.CharField(help_text='As its tokens have it: https://token.actions.githubusercontent.com, https://gitlab.com or the address of your own GitLab.', max_length=255)),
                ('audience', models.CharField(help_text='The one audience of its tokens: the address of this marketplace.', max_length=255)),
                ('project_claim', models.CharField(choices=[('repository_id', 'repository_id (GitHub)'), ('project_id', 'project_id (GitLab)'), ('sub', 'sub')], max_length=13, verbose_name="project's claim")),
                ('project', models.CharField(help_text='The value of that claim: the number of the repository or project, which stays when it is renamed, and does not pass to others.', max_length=255)),
                ('any_branch', models.BooleanField(default=False, help_text='Everybody who may push to the project may then submit.')),
                ('ref', models.CharField(blank=True, help_text='refs/heads/main at GitHub, main at GitLab.', max_length=255)),
                ('ref_type', models.CharField(blank=True, choices=[('branch', 'Branch'), ('tag', 'Tag')], max_length=6, verbose_name='type of ref')),
                ('protected_only', models.BooleanField(default=False, help_text='The issuer must call the branch or tag protected.', verbose_name='protected refs only')),
                ('environment', models.CharField(blank=True, help_text="The job's environment, whose rules say who may start it.", max_length=255)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_used_at', models.DateTimeField(editable=False, null=True)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='publishers', to='agents.agent')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [
                    models.UniqueConstraint(fields=('project', 'issuer', 'environment'), name='unique_publisher', violation_error_message='A publisher has this issuer, project and environment.'),
                    models.CheckConstraint(condition=models.Q(('issuer__regex', '^(https://[^/]|http://(127\\.0\\.0\\.1|localhost)([:/]|$))')), name='publisher_issuer_is_safe', violation_error_message='Write https or http, and localhost, in small letters.'),
                    models.CheckConstraint(condition=models.Q(models.Q(('any_branch', True), ('ref', '')), models.Q(('any_branch', False), models.Q(('environment', ''), ('ref', ''), _negated=True)), _connector='OR'), name='publisher_names_runs', violation_error_message='Name a ref or an environment, or tick any branch, which needs no ref.'),
                    models.CheckConstraint(condition=models.Q(('any_branch', True), ('ref_type', 'tag'), _negated=True), name='publisher_any_branch_is_no_tag', violation_error_message='A tag is no branch: choose the type branch, or none.'),
                    models.CheckConstraint(condition=models.Q(('ref', ''), ('project_claim', 'sub'), models.Q(('protected_only', False), ('ref_type', ''), _negated=True), _connector='OR'), name='publisher_names_kind_of_ref', violation_error_message='A tag may have the name of a branch: choose the type of the ref, or allow protected ones only.'),
                ],
            },
        ),
    ]
