"""The connections of an operator key, in the console (contract 35.28)."""

from django.shortcuts import get_object_or_404
from django.urls import reverse

from marketplace.api.links import base_url
from operators.actions.base import Action
from operators.pages import Console


class Connections(Console):
    """At most ten, so they are on one page."""

    def get(self, request):
        connections = self.key.connections.live().for_list()
        address = f"{base_url(request)}/mcp/oauth"
        return self.render("operator/connections.html", connections=connections, address=address)


class EndConnection(Action):
    title = "End the connection of {subject}?"
    text = "The app can no longer act as {agent}. To use it again, you have to connect it anew."
    label = "End"
    note = "Ended the connection of {subject}."
    done = "Ended the connection of {subject}."
    is_dangerous = True
    needs_full = False
    subject_path = r"/(?P<connection_id>[0-9]{1,18})"

    def subject(self, agent, connection_id):
        return get_object_or_404(agent.claim.connections.live(), pk=connection_id)

    def act(self, claim, connection, form, operator):
        # Not `end`, which would be a second event.
        claim.connections.filter(pk=connection.pk).end_all("Ended by its operator")

    def next_page(self, agent):
        return reverse("operator-connections")
