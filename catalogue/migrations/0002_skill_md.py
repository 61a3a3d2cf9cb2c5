import catalogue.models.skills
from django.db import migrations

from catalogue.skill_md import skill_md_of

BATCH = 500  # skills of one statement


def make_files(apps, schema_editor):
    Skill = apps.get_model('catalogue', 'Skill')
    skills, last = Skill.objects.order_by('pk'), 0
    while batch := list(skills.filter(pk__gt=last)[:BATCH]):
        for skill in batch:
            text = skill_md_of(skill)
            skill.skill_md = '' if text == skill.content else text
        Skill.objects.bulk_update(batch, ['skill_md'])
        last = batch[-1].pk


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='skill',
            name='skill_md',
            field=catalogue.models.skills.SkillMdField(blank=True, db_default='', default='', editable=False),
        ),
        migrations.RunPython(make_files, migrations.RunPython.noop),
    ]
