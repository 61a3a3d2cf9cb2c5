from django.db import models
from django.dispatch import receiver
from simple_history.signals import pre_create_historical_record

from marketplace.adminsite.history import StaffHistory


class OperatorSnapshot(models.Model):
    """A snapshot that names the operator, if it was not staff who made the change."""

    operator = models.CharField(max_length=80, default="", db_default="")

    class Meta:
        abstract = True


class OperatorHistory(StaffHistory):
    """The staff's history, which includes what an operator does in the console."""

    def __init__(self, **options):
        super().__init__(bases=[OperatorSnapshot], **options)

    def take_snapshot(self, row, *, operator="", **details):
        row._history_operator = operator
        return super().take_snapshot(row, **details)


@receiver(pre_create_historical_record)
def name_the_operator(instance, history_instance, **_):
    if isinstance(history_instance, OperatorSnapshot):
        history_instance.operator = getattr(instance, "_history_operator", "")
