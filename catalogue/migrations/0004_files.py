from pathlib import Path

from django.db import migrations, models

import catalogue.models.skills

FUNCTION = (Path(__file__).parents[1] / 'sql' / 'folder_digest.sql').read_text()


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0003_digest'),
    ]

    operations = [
        migrations.CreateModel(
            name='FileContent',
            fields=[
                ('digest', models.CharField(max_length=71, primary_key=True, serialize=False)),
                ('data', models.BinaryField()),
            ],
        ),
        migrations.AddField(
            model_name='historicalskill',
            name='files',
            field=models.JSONField(db_default=[], default=list, editable=False),
        ),
        migrations.AddField(
            model_name='skill',
            name='files',
            field=models.JSONField(db_default=[], default=list, editable=False),
        ),
        migrations.AddField(
            model_name='skill',
            name='archive_digest',
            field=catalogue.models.skills.ArchiveDigestField(blank=True, db_default='', default='', editable=False, max_length=71),
        ),
        migrations.RunSQL(FUNCTION, 'DROP FUNCTION catalogue_digest(text, jsonb)'),
        # A generated column cannot be altered. The previous release finds it as it was: this is one
        # transaction, and a skill without files has the digest that it had.
        migrations.RemoveField(
            model_name='skill',
            name='digest',
        ),
        migrations.AddField(
            model_name='skill',
            name='digest',
            field=models.GeneratedField(db_persist=True, expression=models.Func(models.Case(models.When(skill_md='', then='content'), default='skill_md', output_field=models.TextField()), models.F('files'), function='catalogue_digest'), output_field=models.CharField(max_length=71)),
        ),
    ]
