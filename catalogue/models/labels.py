from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.validators import ArrayMaxLengthValidator
from django.db import models

MAX_LABELS = 50  # in one field of an entry


def labels_field():
    """Words by which entries are filtered, such as tags (contract 8.21)."""
    return ArrayField(
        models.CharField(max_length=64),
        default=list,
        blank=True,
        validators=[ArrayMaxLengthValidator(MAX_LABELS)],
    )
