import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """A row for each code.

    The previous release goes on using its columns and its table, which a later one drops. Codes
    that were asked for there have to be asked for again.
    """

    dependencies = [
        ('agents', '0005_operator_indexes'),
    ]

    operations = [
        migrations.CreateModel(
            name='ClaimCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operator_name', models.CharField(max_length=80)),
                ('operator_email', models.EmailField(max_length=254)),
                ('code_digest', models.CharField(max_length=64)),
                ('code_expires_at', models.DateTimeField()),
                ('wrong_codes', models.PositiveSmallIntegerField(default=0)),
                ('claim', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codes', to='agents.operatorclaim')),
                ('key', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='agents.operatorkey')),
            ],
        ),
        # This release fills neither, and deletes claims and keys that the other table refers to.
        migrations.AlterField(
            model_name='operatorclaim',
            name='wrong_codes',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AlterField(
            model_name='claimrenewal',
            name='claim',
            field=models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='renewal', to='agents.operatorclaim'),
        ),
        migrations.AlterField(
            model_name='claimrenewal',
            name='key',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='agents.operatorkey'),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel('ClaimRenewal'),
                migrations.RemoveField('operatorclaim', 'wrong_codes'),
                migrations.RemoveField('operatorclaim', 'code_expires_at'),
            ],
        ),
    ]
