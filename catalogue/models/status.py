"""The status of an entry, and "published" in the ORM and in SQL."""

from django.db import models
from django.db.models import Q

from infrastructure.db.compiled_queries import InlineConstant


class Status(models.TextChoices):
    DRAFT = "draft", "Draft"
    PUBLISHED = "published", "Published"
    WITHDRAWN = "withdrawn", "Withdrawn"


# A condition for the ORM; the status as part of the SQL, where a compiled query needs a partial
# index; and a condition in SQL.
PUBLISHED = Q(status=Status.PUBLISHED)
PUBLISHED_STATUS = InlineConstant(Status.PUBLISHED)
IS_PUBLISHED = f"status = '{Status.PUBLISHED}'"
