from django.contrib import admin
from django.template.defaultfilters import timesince, truncatechars

from agents.models import Agent
from marketplace.adminsite.actions import ReasonForm
from marketplace.adminsite.base import ReadOnlyModelAdmin, WholeNameSearchMixin, state_label
from reports.admin.filters import QueueFilter, ReasonFilter
from reports.models import Report


@admin.register(Report)
class ReportAdmin(WholeNameSearchMixin, ReadOnlyModelAdmin):
    """Who has said what, and which of them to suspend."""

    list_display = ["case", "agent", "age", "reason", "text", "state", "updated_at"]
    list_filter = [QueueFilter, ReasonFilter]
    search_fields = ["agent__handle", "public_id"]
    search_help_text = "A whole handle or reportId"
    fields = [
        *("case", "agent", "age", "reason", "comment", "created_at", "updated_at"),
        *("state", "resolved_at", "public_id"),
    ]
    actions = ["suspend"]

    def get_queryset(self, request):
        return super().get_queryset(request).with_case()

    @admin.display(description="agent's age")
    def age(self, report):
        """When it reported: a fresh agent says less."""
        return timesince(report.agent.created_at, report.updated_at)

    @admin.display(description="comment")
    def text(self, report):
        return truncatechars(report.comment, 120) or "none"

    @admin.display(description="state")
    def state(self, report):
        return state_label("resolved" if report.resolved_at else "open")

    def has_suspend_permission(self, request):
        return request.user.has_perm("agents.change_agent")

    @admin.action(description="Suspend who reported it", permissions=["suspend"])
    def suspend(self, request, queryset):
        agents = Agent.objects.filter(reports__in=queryset, suspended_at=None).distinct()
        form = ReasonForm(request.POST if self.is_confirmed(request) else None)
        if not form.is_valid():
            return self.confirm(
                request,
                queryset,
                "suspend",
                form=form,
                danger=True,
                text="A suspended agent is refused with every token, until it is restored. The "
                "reason is for staff. The reports stay as they are.",
                facts=[(agent, f"{timesince(agent.created_at)} old") for agent in agents],
            )
        reason = form.cleaned_data["reason"]
        self.admin_site.get_model_admin(Agent).suspend_each(request, agents, reason)
        return None
