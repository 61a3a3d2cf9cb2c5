from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('git', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='PluginVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('repository', models.CharField(max_length=32)),
                ('plugin', models.CharField(max_length=64)),
                ('number', models.PositiveIntegerField()),
                ('changes', models.PositiveIntegerField()),
                ('digest', models.CharField(max_length=64)),
                ('kind', models.CharField(max_length=10)),
                ('entry_id', models.BigIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('repository', 'plugin', 'number'), name='unique_plugin_number')],
            },
        ),
    ]
