from django.db import migrations, models

# "Any branch" has always been any branch and no tag, whatever the type said.
NO_TAG = "UPDATE publishers_publisher SET ref_type = '' WHERE any_branch AND ref_type = 'tag'"


class Migration(migrations.Migration):

    dependencies = [
        ('publishers', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(NO_TAG, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='publisher',
            constraint=models.CheckConstraint(condition=models.Q(('any_branch', True), ('ref_type', 'tag'), _negated=True), name='publisher_any_branch_is_no_tag', violation_error_message='A tag is no branch: choose the type branch, or none.'),
        ),
    ]
