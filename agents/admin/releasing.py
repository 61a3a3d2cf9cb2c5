from agents.admin.suspending import note_also
from agents.models import Agent


class ReleaseClaimsMixin:
    """For an action that releases claims, from the list of agents or from that of operators."""

    def release_claims(self, request, rows, agents):
        """Ask for confirmation, and release the claims of the agents."""
        agents = list(agents.select_related("claim").order_by("pk"))
        if not self.is_confirmed(request, rows):
            return self.confirm(
                request,
                rows,
                "release_claim",
                danger=True,
                text="This removes the operator, if there is one, with the limits and the pause "
                "that the operator set. The agent finds a new claim URL in its profile; the old "
                "one stops working.",
                facts=[(agent, agent.claim.operator_name or "no operator") for agent in agents],
            )
        agent_admin = self.admin_site.get_model_admin(Agent)
        for agent in agents:
            name = agent.claim.operator_name
            message = f"Released the claim of {name}." if name else "Replaced the claim URL."
            with agent_admin.logged_change(request, agent, message, is_event=True):
                agent.claim.release()
        note_also(self, request, rows, "Released", agents)
        agent_admin.tell(request, "Released", agents, "A new operator can claim them.")
        return None
