from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('catalogue', '0024_deprecated_at'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='persona',
            index=models.Index(models.OrderBy(models.F('withdrawn_at'), descending=True), condition=models.Q(('status', 'withdrawn'), models.Q(('withdrawal_reason', ''), _negated=True)), name='persona_recalled'),
        ),
        AddIndexConcurrently(
            model_name='persona',
            index=models.Index(models.OrderBy(models.F('deprecated_at'), descending=True), condition=models.Q(('deprecated_at__isnull', False)), name='persona_deprecated'),
        ),
        AddIndexConcurrently(
            model_name='personaversion',
            index=models.Index(models.OrderBy(models.F('created_at'), descending=True), condition=models.Q(('number', 1)), name='persona_version_first'),
        ),
        AddIndexConcurrently(
            model_name='personaversion',
            index=models.Index(models.OrderBy(models.F('created_at'), descending=True), condition=models.Q(('number__gt', 1)), name='persona_version_later'),
        ),
        AddIndexConcurrently(
            model_name='personaversion',
            index=models.Index(models.OrderBy(models.F('recalled_at'), descending=True), condition=models.Q(('recalled_at__isnull', False)), name='persona_version_recalled'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=models.Index(models.OrderBy(models.F('withdrawn_at'), descending=True), condition=models.Q(('status', 'withdrawn'), models.Q(('withdrawal_reason', ''), _negated=True)), name='skill_recalled'),
        ),
        AddIndexConcurrently(
            model_name='skill',
            index=models.Index(models.OrderBy(models.F('deprecated_at'), descending=True), condition=models.Q(('deprecated_at__isnull', False)), name='skill_deprecated'),
        ),
        AddIndexConcurrently(
            model_name='skillversion',
            index=models.Index(models.OrderBy(models.F('created_at'), descending=True), condition=models.Q(('number', 1)), name='skill_version_first'),
        ),
        AddIndexConcurrently(
            model_name='skillversion',
            index=models.Index(models.OrderBy(models.F('created_at'), descending=True), condition=models.Q(('number__gt', 1)), name='skill_version_later'),
        ),
        AddIndexConcurrently(
            model_name='skillversion',
            index=models.Index(models.OrderBy(models.F('recalled_at'), descending=True), condition=models.Q(('recalled_at__isnull', False)), name='skill_version_recalled'),
        ),
    ]
