import logging
from datetime import timedelta
from hashlib import blake2b

from django.db import Error, connection, models
from django.utils import timezone

from agents.sql import COUNT_REFUSAL

logger = logging.getLogger(__name__)

KEPT = timedelta(days=1)
MAX_TEXT = 200


class RefusalQuerySet(models.QuerySet):
    def current(self):
        return self.filter(first_at__gt=timezone.now() - KEPT)

    def record(self, agent, status, text):
        """Count a response that refuses a request of an agent, in one statement.

        The statement may fail: the agent gets the response all the same.
        """
        text = text[:MAX_TEXT]
        key = blake2b(f"{agent.pk} {status} {text}".encode(), digest_size=16).hexdigest()
        values = {"key": key, "agent": agent.pk, "status": status, "text": text, "kept": KEPT}
        try:
            with connection.cursor() as cursor:
                cursor.execute(COUNT_REFUSAL, values)
        except Error as error:
            logger.warning("A refusal was not counted: %s", error)


class Refusal(models.Model):
    """How often a request of an agent was refused with one status and text, within a day.

    An agent has at most MAX_REFUSALS rows, and repeats only count (agents/sql.py). The text is the
    response's own: nothing that the agent sent is stored.
    """

    key = models.UUIDField(primary_key=True, editable=False)
    # Without a constraint, which would lock the agent's row.
    agent = models.ForeignKey(
        "agents.Agent", models.CASCADE, related_name="refusals", db_constraint=False
    )
    status = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=MAX_TEXT)
    number = models.PositiveIntegerField()
    first_at = models.DateTimeField(db_index=True)
    last_at = models.DateTimeField()

    objects = RefusalQuerySet.as_manager()

    class Meta:
        ordering = ["-last_at"]

    def __str__(self):
        return f"{self.status} {self.text}"
