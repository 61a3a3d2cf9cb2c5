import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.functions.text
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('catalogue', '0009_one_spelling'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='persona',
            index=models.Index(django.db.models.functions.text.Lower('category'), models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_category_key'),
        ),
        AddIndexConcurrently(
            model_name='persona',
            index=models.Index(django.db.models.functions.text.Lower('author'), models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_author_key'),
        ),
        AddIndexConcurrently(
            model_name='persona',
            index=models.Index(django.db.models.functions.text.Lower('license'), models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_license_key'),
        ),
        AddIndexConcurrently(
            model_name='persona',
            index=django.contrib.postgres.indexes.GinIndex(models.Func('tags', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), models.Func('runtimes', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published')), name='persona_label_keys'),
        ),
        AddIndexConcurrently(
            model_name='persona',
            index=models.Index(django.db.models.functions.text.Lower('category'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_category_key'),
        ),
        AddIndexConcurrently(
            model_name='persona',
            index=models.Index(django.db.models.functions.text.Lower('author'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_author_key'),
        ),
        AddIndexConcurrently(
            model_name='persona',
            index=django.contrib.postgres.indexes.GinIndex(models.Func('tags', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_tag_keys'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=models.Index(django.db.models.functions.text.Lower('category'), models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_category_key'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=models.Index(django.db.models.functions.text.Lower('author'), models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_author_key'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=models.Index(django.db.models.functions.text.Lower('license'), models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_license_key'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=django.contrib.postgres.indexes.GinIndex(models.Func('tags', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), models.Func('runtimes', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published')), name='skill_label_keys'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=models.Index(django.db.models.functions.text.Lower('category'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_category_key'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=models.Index(django.db.models.functions.text.Lower('author'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_author_key'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=django.contrib.postgres.indexes.GinIndex(models.Func('tags', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_tag_keys'),
        ),
        RemoveIndexConcurrently(
            model_name='persona',
            name='persona_category',
        ),
        RemoveIndexConcurrently(
            model_name='persona',
            name='persona_author',
        ),
        RemoveIndexConcurrently(
            model_name='persona',
            name='persona_license',
        ),
        RemoveIndexConcurrently(
            model_name='persona',
            name='persona_labels',
        ),
        RemoveIndexConcurrently(
            model_name='persona',
            name='persona_off_category',
        ),
        RemoveIndexConcurrently(
            model_name='persona',
            name='persona_off_author',
        ),
        RemoveIndexConcurrently(
            model_name='persona',
            name='persona_off_tags',
        ),
        RemoveIndexConcurrently(
            model_name='skill',
            name='skill_category',
        ),
        RemoveIndexConcurrently(
            model_name='skill',
            name='skill_author',
        ),
        RemoveIndexConcurrently(
            model_name='skill',
            name='skill_license',
        ),
        RemoveIndexConcurrently(
            model_name='skill',
            name='skill_labels',
        ),
        RemoveIndexConcurrently(
            model_name='skill',
            name='skill_off_category',
        ),
        RemoveIndexConcurrently(
            model_name='skill',
            name='skill_off_author',
        ),
        RemoveIndexConcurrently(
            model_name='skill',
            name='skill_off_tags',
        ),
    ]
