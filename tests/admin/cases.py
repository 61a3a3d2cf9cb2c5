"""Cases to test with."""

from datetime import timedelta

from django.utils import timezone

from agents.models import Agent
from reports.models import Case, Report
from tests.factories import AgentFactory

QUEUE = "/admin/reports/case/"


def reported(target, *reasons, age=timedelta(0)):
    """The case of a target that an agent each has reported for these reasons."""
    for reason in reasons:
        agent = AgentFactory()
        Agent.objects.filter(pk=agent.pk).update(created_at=timezone.now() - age)
        Report.objects.submit(agent, target, reason=reason, comment=f"Because it is {reason}.")
    return Case.objects.get(**{type(target).__name__.lower(): target})
