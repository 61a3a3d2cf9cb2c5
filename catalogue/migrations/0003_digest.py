from pathlib import Path

from django.db import migrations, models

FUNCTION = (Path(__file__).parents[1] / 'sql' / 'digest.sql').read_text()


def digest_of(text):
    return models.GeneratedField(
        db_persist=True,
        expression=models.Func(text, function='catalogue_digest'),
        output_field=models.CharField(max_length=71),
    )


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0002_skill_md'),
    ]

    operations = [
        migrations.RunSQL(FUNCTION, 'DROP FUNCTION catalogue_digest(text)'),
        migrations.AddField('persona', 'digest', digest_of(models.F('content'))),
        migrations.AddField(
            'skill',
            'digest',
            digest_of(
                models.Case(
                    models.When(skill_md='', then='content'),
                    default='skill_md',
                    output_field=models.TextField(),
                )
            ),
        ),
    ]
