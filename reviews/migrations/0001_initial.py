import django.db.models.deletion
import django.db.models.expressions
import simple_history.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('agents', '0001_initial'),
        ('catalogue', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='HistoricalReview',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('rating', models.DecimalField(decimal_places=2, max_digits=3)),
                ('comment', models.CharField(blank=True, max_length=1000)),
                ('hidden_at', models.DateTimeField(editable=False, null=True)),
                ('hiding_reason', models.CharField(blank=True, editable=False, max_length=1000)),
                ('history_change_reason', models.TextField(default='')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('agent', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='agents.agent')),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('persona', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.persona')),
            ],
            options={
                'verbose_name': 'historical review',
                'verbose_name_plural': 'historical reviews',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='Review',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('rating', models.DecimalField(decimal_places=2, max_digits=3)),
                ('comment', models.CharField(blank=True, max_length=1000)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('hidden_at', models.DateTimeField(editable=False, null=True)),
                ('hiding_reason', models.CharField(blank=True, editable=False, max_length=1000)),
                ('deleted_at', models.DateTimeField(editable=False, null=True)),
                ('counted_rating', models.GeneratedField(db_persist=True, expression=models.Case(models.When(deleted_at=None, hidden_at=None, then=models.F('rating'))), output_field=models.DecimalField(decimal_places=2, max_digits=3, null=True))),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='reviews', to='agents.agent')),
                ('persona', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='catalogue.persona')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(models.F('persona'), models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='review_newest'),
                    models.Index(models.F('persona'), models.OrderBy(models.F('counted_rating'), descending=True), models.OrderBy(models.F('id'), descending=True), name='review_highest'),
                    models.Index(models.F('persona'), models.F('counted_rating'), django.db.models.expressions.CombinedExpression(models.F('id'), '*', models.Value(-1)), name='review_lowest'),
                    models.Index(models.F('rating'), models.OrderBy(models.F('id'), descending=True), name='review_rating'),
                    models.Index(models.F('created_at'), name='review_created'),
                    models.Index(models.F('updated_at'), condition=models.Q(('hidden_at__isnull', False)), name='review_hidden'),
                    models.Index(models.OrderBy(models.F('id'), descending=True), condition=models.Q(('deleted_at__isnull', False)), name='review_deleted'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('agent', 'persona'), name='one_review_per_agent_and_persona'),
                    models.UniqueConstraint(fields=('public_id',), name='unique_review_public_id'),
                    models.CheckConstraint(condition=models.Q(('rating__gte', 1), ('rating__lte', 5)), name='rating_between_1_and_5'),
                ],
            },
        ),
    ]
