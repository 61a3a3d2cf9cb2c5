import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.math
import django.db.models.functions.text
import simple_history.models
from django.conf import settings
from django.db import migrations, models


DIGEST = r'''
-- The digest of a text: of its bytes in UTF-8, whatever the encoding of the database. Columns are
-- generated with it, which an IMMUTABLE function alone may do; convert_to is not marked as one.
CREATE OR REPLACE FUNCTION catalogue_digest(content text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN 'sha256:' || encode(sha256(convert_to(content, 'UTF8')), 'hex');
END $$;

-- The digest of a skill: of its SKILL.md where that is all; otherwise of the lines that sha256sum
-- writes of its folder, by path in UTF-8 bytes. It calls no function of ours: a restored dump
-- computes it while none is found by its name.
CREATE OR REPLACE FUNCTION catalogue_digest(skill_md text, files jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    hashed bytea := sha256(convert_to(skill_md, 'UTF8'));
    lines text;
BEGIN
    IF files <> '[]' THEN
        SELECT string_agg(line, '' ORDER BY path) INTO lines FROM (
            SELECT encode(hashed, 'hex') || E'  SKILL.md\n' AS line, 'SKILL.md'::bytea AS path
            UNION ALL
            SELECT
                substr(digest, length('sha256:') + 1)
                    || CASE WHEN is_executable THEN ' *' ELSE '  ' END || path || E'\n',
                convert_to(path, 'UTF8')
            FROM jsonb_to_recordset(files) AS file (path text, digest text, is_executable boolean)
        ) AS folder;
        hashed := sha256(convert_to(lines, 'UTF8'));
    END IF;
    RETURN 'sha256:' || encode(hashed, 'hex');
END $$;
'''

PLAIN = r'''
-- A text as to_tsvector should see it. Names are taken apart (pdf-tables, node.js, ci/cd), and
-- Chinese, Japanese and Korean, which write no spaces, become overlapping pairs of characters.
CREATE OR REPLACE FUNCTION catalogue_plain(raw text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    spaceless CONSTANT text := '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+';
    plain text := translate(raw, '-_/.:@', '      ');
    run text;
BEGIN
    IF raw ~ spaceless THEN
        plain := regexp_replace(plain, spaceless, ' ', 'g');
        FOR run IN SELECT match[1] FROM regexp_matches(raw, spaceless, 'g') AS match LOOP
            FOR start IN 1 .. greatest(length(run) - 1, 1) LOOP
                plain := plain || ' ' || substr(run, start, 2);
            END LOOP;
        END LOOP;
    END IF;
    RETURN plain;
END $$;
'''

SUCCESSOR = '''
-- The slug of the entry that replaces a deprecated one, as long as it is published. (In SQL, the
-- planner would parse it for every statement, in order to inline it, which it cannot.)
CREATE OR REPLACE FUNCTION catalogue_{kind}_successor(successor bigint) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT slug FROM catalogue_{kind} WHERE id = successor AND status = 'published');
END $$;
'''


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunSQL(DIGEST, migrations.RunSQL.noop),
        migrations.RunSQL(PLAIN, migrations.RunSQL.noop),
        migrations.CreateModel(
            name='FileContent',
            fields=[
                ('digest', models.CharField(max_length=71, primary_key=True, serialize=False)),
                ('data', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='Persona',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=100, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z', 'Use a-z, 0-9 and single hyphens between them, such as pdf-tables.')])),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('category', models.CharField(blank=True, max_length=64)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ('runtimes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ('author', models.CharField(blank=True, max_length=200)),
                ('version', models.CharField(blank=True, max_length=64)),
                ('license', models.CharField(blank=True, max_length=300)),
                ('content', models.TextField()),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('withdrawn', 'Withdrawn')], default='draft', max_length=9)),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True)),
                ('withdrawal_reason', models.CharField(blank=True, editable=False, max_length=1000)),
                ('deprecation_message', models.CharField(blank=True, db_default='', editable=False, max_length=1000)),
                ('source', models.TextField(blank=True, help_text='Where an imported entry came from; the importer finds it by this.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('context_tokens', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.functions.text.Length('content'), '+', models.Value(3)), '/', models.Value(4)), output_field=models.IntegerField())),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('price_cents', models.PositiveIntegerField(default=0, help_text='0 is free. A persona with a price cannot be installed over the API.')),
                ('digest', models.GeneratedField(db_persist=True, expression=models.Func(models.F('content'), function='catalogue_digest'), output_field=models.CharField(max_length=71))),
                ('installs', models.PositiveBigIntegerField(default=0, editable=False)),
                ('rating_sum', models.DecimalField(decimal_places=2, default=0, editable=False, max_digits=14)),
                ('rating_count', models.PositiveIntegerField(default=0, editable=False)),
                ('rating_avg', models.GeneratedField(db_persist=True, expression=django.db.models.functions.math.Round(django.db.models.expressions.CombinedExpression(models.F('rating_sum'), '/', django.db.models.functions.comparison.NullIf(models.F('rating_count'), models.Value(0))), precision=2), output_field=models.DecimalField(decimal_places=2, max_digits=4, null=True))),
                ('successor', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='catalogue.persona')),
            ],
            options={
                'ordering': ['-id'],
                'abstract': False,
                'indexes': [
                    models.Index(models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_newest'),
                    models.Index(models.OrderBy(models.F('updated_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_updated'),
                    models.Index(django.db.models.functions.comparison.Collate(django.db.models.functions.text.Lower('title'), 'C'), django.db.models.expressions.CombinedExpression(models.F('id'), '*', models.Value(-1)), condition=models.Q(('status', 'published')), name='persona_name'),
                    models.Index(models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_installs'),
                    models.Index(models.F('category'), models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_category'),
                    models.Index(models.F('author'), models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_author'),
                    models.Index(models.F('license'), models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_license'),
                    django.contrib.postgres.indexes.GinIndex(condition=models.Q(('status', 'published')), fields=['tags', 'runtimes'], name='persona_labels'),
                    models.Index(models.F('successor'), condition=models.Q(('successor__isnull', False)), name='persona_successor'),
                    django.contrib.postgres.indexes.HashIndex(condition=models.Q(('source', ''), _negated=True), fields=['source'], name='persona_source'),
                    models.Index(models.F('status'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_status'),
                    models.Index(models.F('category'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_category'),
                    models.Index(models.F('author'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_author'),
                    django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func(django.db.models.functions.text.Concat('title', models.Value(' '), 'slug'), function='catalogue_plain', output_field=models.TextField()), config='simple'), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_names'),
                    django.contrib.postgres.indexes.GinIndex(condition=models.Q(('status', 'published'), _negated=True), fields=['tags'], name='persona_off_tags'),
                    models.Index(models.OrderBy(django.db.models.functions.comparison.Coalesce('rating_avg', models.Value(0), output_field=models.DecimalField(decimal_places=2, max_digits=4, null=True)), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), include=('rating_avg',), name='persona_rating'),
                    models.Index(models.F('price_cents'), django.db.models.expressions.CombinedExpression(models.F('id'), '*', models.Value(-1)), condition=models.Q(('status', 'published')), name='persona_price'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('slug',), name='unique_persona_slug'),
                    models.UniqueConstraint(fields=('public_id',), name='unique_persona_public_id'),
                    models.CheckConstraint(condition=models.Q(('successor', None), models.Q(models.Q(('deprecation_message', ''), _negated=True), models.Q(('successor', models.F('id')), _negated=True)), _connector='OR'), name='persona_successor_of_deprecated'),
                    models.CheckConstraint(condition=models.Q(('rating_count__gte', 0), ('rating_sum__gte', 0)), name='ratings_not_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Skill',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=100, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z', 'Use a-z, 0-9 and single hyphens between them, such as pdf-tables.')])),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('category', models.CharField(blank=True, max_length=64)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ('runtimes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ('author', models.CharField(blank=True, max_length=200)),
                ('version', models.CharField(blank=True, max_length=64)),
                ('license', models.CharField(blank=True, max_length=300)),
                ('content', models.TextField()),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('withdrawn', 'Withdrawn')], default='draft', max_length=9)),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True)),
                ('withdrawal_reason', models.CharField(blank=True, editable=False, max_length=1000)),
                ('deprecation_message', models.CharField(blank=True, db_default='', editable=False, max_length=1000)),
                ('source', models.TextField(blank=True, help_text='Where an imported entry came from; the importer finds it by this.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('context_tokens', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.functions.text.Length('content'), '+', models.Value(3)), '/', models.Value(4)), output_field=models.IntegerField())),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('skill_md', models.TextField(blank=True, db_default='', default='', editable=False)),
                ('files', models.JSONField(db_default=[], default=list, editable=False)),
                ('archive_digest', models.CharField(blank=True, db_default='', default='', editable=False, max_length=71)),
                ('digest', models.GeneratedField(db_persist=True, expression=models.Func(models.Case(models.When(skill_md='', then='content'), default='skill_md', output_field=models.TextField()), models.F('files'), function='catalogue_digest'), output_field=models.CharField(max_length=71))),
                ('downloads', models.PositiveBigIntegerField(default=0, editable=False)),
                ('successor', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='catalogue.skill')),
            ],
            options={
                'ordering': ['-id'],
                'abstract': False,
                'indexes': [
                    models.Index(models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_newest'),
                    models.Index(models.OrderBy(models.F('updated_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_updated'),
                    models.Index(django.db.models.functions.comparison.Collate(django.db.models.functions.text.Lower('title'), 'C'), django.db.models.expressions.CombinedExpression(models.F('id'), '*', models.Value(-1)), condition=models.Q(('status', 'published')), name='skill_name'),
                    models.Index(models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_downloads'),
                    models.Index(models.F('category'), models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_category'),
                    models.Index(models.F('author'), models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_author'),
                    models.Index(models.F('license'), models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_license'),
                    django.contrib.postgres.indexes.GinIndex(condition=models.Q(('status', 'published')), fields=['tags', 'runtimes'], name='skill_labels'),
                    models.Index(models.F('successor'), condition=models.Q(('successor__isnull', False)), name='skill_successor'),
                    django.contrib.postgres.indexes.HashIndex(condition=models.Q(('source', ''), _negated=True), fields=['source'], name='skill_source'),
                    models.Index(models.F('status'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_status'),
                    models.Index(models.F('category'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_category'),
                    models.Index(models.F('author'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_author'),
                    django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func(django.db.models.functions.text.Concat('title', models.Value(' '), 'slug'), function='catalogue_plain', output_field=models.TextField()), config='simple'), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_names'),
                    django.contrib.postgres.indexes.GinIndex(condition=models.Q(('status', 'published'), _negated=True), fields=['tags'], name='skill_off_tags'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('slug',), name='unique_skill_slug'),
                    models.UniqueConstraint(fields=('public_id',), name='unique_skill_public_id'),
                    models.CheckConstraint(condition=models.Q(('successor', None), models.Q(models.Q(('deprecation_message', ''), _negated=True), models.Q(('successor', models.F('id')), _negated=True)), _connector='OR'), name='skill_successor_of_deprecated'),
                ],
            },
        ),
        migrations.AddField(
            model_name='persona',
            name='skills',
            field=models.ManyToManyField(blank=True, related_name='personas', to='catalogue.skill'),
        ),
        migrations.CreateModel(
            name='HistoricalPersona',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('slug', models.CharField(max_length=100, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z', 'Use a-z, 0-9 and single hyphens between them, such as pdf-tables.')])),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('category', models.CharField(blank=True, max_length=64)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ('runtimes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ('author', models.CharField(blank=True, max_length=200)),
                ('version', models.CharField(blank=True, max_length=64)),
                ('license', models.CharField(blank=True, max_length=300)),
                ('content', models.TextField()),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('withdrawn', 'Withdrawn')], default='draft', max_length=9)),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True)),
                ('withdrawal_reason', models.CharField(blank=True, editable=False, max_length=1000)),
                ('deprecation_message', models.CharField(blank=True, db_default='', editable=False, max_length=1000)),
                ('price_cents', models.PositiveIntegerField(default=0, help_text='0 is free. A persona with a price cannot be installed over the API.')),
                ('history_change_reason', models.TextField(default='')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('successor', models.ForeignKey(blank=True, db_constraint=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.persona')),
            ],
            options={
                'verbose_name': 'historical persona',
                'verbose_name_plural': 'historical personas',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalSkill',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('slug', models.CharField(max_length=100, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z', 'Use a-z, 0-9 and single hyphens between them, such as pdf-tables.')])),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('category', models.CharField(blank=True, max_length=64)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ('runtimes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ('author', models.CharField(blank=True, max_length=200)),
                ('version', models.CharField(blank=True, max_length=64)),
                ('license', models.CharField(blank=True, max_length=300)),
                ('content', models.TextField()),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('withdrawn', 'Withdrawn')], default='draft', max_length=9)),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True)),
                ('withdrawal_reason', models.CharField(blank=True, editable=False, max_length=1000)),
                ('deprecation_message', models.CharField(blank=True, db_default='', editable=False, max_length=1000)),
                ('files', models.JSONField(db_default=[], default=list, editable=False)),
                ('history_change_reason', models.TextField(default='')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('successor', models.ForeignKey(blank=True, db_constraint=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.skill')),
            ],
            options={
                'verbose_name': 'historical skill',
                'verbose_name_plural': 'historical skills',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalPersona_skills',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('m2m_history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, to='catalogue.historicalpersona')),
                ('persona', models.ForeignKey(blank=True, db_constraint=False, db_tablespace='', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.persona')),
                ('skill', models.ForeignKey(blank=True, db_constraint=False, db_tablespace='', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.skill')),
            ],
            options={
                'verbose_name': 'HistoricalPersona_skills',
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.RunSQL(SUCCESSOR.format(kind='skill'), migrations.RunSQL.noop),
        migrations.RunSQL(SUCCESSOR.format(kind='persona'), migrations.RunSQL.noop),
    ]
