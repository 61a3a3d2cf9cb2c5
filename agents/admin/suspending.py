from django.contrib import messages
from django.template.defaultfilters import timesince

from agents.models import Agent
from marketplace.adminsite.actions import ReasonForm


def note_also(model_admin, request, rows, verb, agents):
    """Record an action on agents in the histories of the rows that led to it, too.

    These are operators, cases or reviews.
    """
    if model_admin.model is not Agent and agents:
        handles, rows = ", ".join(agent.handle for agent in agents), list(rows)
        together = f" (one of {len(rows)} selected rows)" if len(rows) > 1 else ""
        for row in rows:
            model_admin.log_change(request, row, f"{verb} {handles}{together}.", is_event=True)


class SuspendAgentsMixin:
    """For an action that suspends agents, from their list or from a list of what they did."""

    def has_suspend_permission(self, request):
        return request.user.has_perm("agents.change_agent")

    def suspend_agents(self, request, rows, agents):
        """Ask for a reason, and suspend the agents."""
        if not agents:
            self.message_user(request, "There is no agent to suspend.", messages.WARNING)
            return None
        form = ReasonForm(request.POST if self.is_confirmed(request, rows) else None, rows)
        if not form.is_valid():
            return self.confirm(
                request,
                rows,
                "suspend",
                form=form,
                danger=True,
                text="The tokens of a suspended agent do not work until you restore the agent. Its "
                "reviews and reports stay as they are. Only staff see the reason.",
                facts=[
                    (agent, f"registered {timesince(agent.created_at)} ago") for agent in agents
                ],
            )
        reason = form.cleaned_data["reason"]
        agents = self.admin_site.get_model_admin(Agent).change_each(
            request,
            agents,
            f"Suspended: {reason}",
            lambda agent: agent.suspend(reason),
            then="Their tokens no longer work.",
        )
        note_also(self, request, rows, "Suspended", agents)
        return None
