from datetime import timedelta

from django.contrib import admin
from django.template.defaultfilters import timesince, truncatechars
from django.utils import timezone

from agents.admin.suspending import SuspendAgentsMixin
from agents.models import Agent
from marketplace.adminsite.base import (
    MenuItem,
    ReadOnlyModelAdmin,
    WholeNameSearchMixin,
)
from reports.admin.filters import OpenFilter
from reports.models import Report


@admin.register(Report)
class ReportAdmin(SuspendAgentsMixin, WholeNameSearchMixin, ReadOnlyModelAdmin):
    """Reports with their agents, which can be suspended."""

    menu = MenuItem("Activity", 31, "flag")
    list_display = ["case", "reporter", "age", "reason", "text", "state", "updated_at"]
    list_filter = [OpenFilter, "reason"]
    search_fields = ["agent__handle", "public_id"]
    search_help_text = "A whole handle or reportId"
    fields = [
        *("case", "reporter", "age", "reason", "comment", "created_at", "updated_at"),
        *("state", "resolved_at", "public_id"),
    ]
    actions = ["suspend"]

    def get_queryset(self, request):
        return super().get_queryset(request).with_case()

    @admin.display(description="agent")
    def reporter(self, report):
        return reporter(report)

    @admin.display(description="agent's age")
    def age(self, report):
        """Its age when it reported: a new agent is less credible."""
        return age_of(report)

    @admin.display(description="comment")
    def text(self, report):
        return truncatechars(report.comment, 120) or "none"

    @admin.action(description="Suspend the reporter", permissions=["suspend"])
    def suspend(self, request, queryset):
        agents = Agent.objects.filter(reports__in=queryset, suspended_at=None).distinct()
        return self.suspend_agents(request, queryset, agents)


def reporter(report):
    return f"{report.agent} (suspended)" if report.agent.suspended_at else str(report.agent)


def age_of(report, **options):
    """How old the agent was when it reported."""
    return age((report.updated_at - report.agent.created_at).total_seconds(), **options)


def age(seconds, **options):
    now = timezone.now()
    return timesince(now - timedelta(seconds=seconds), now, **options)
