"""The clients that have registered and their connections, for staff (contract 35.29)."""

from django.conf import settings
from django.contrib import admin

from agents.admin.search import agents_named
from connections.models import Connection, OAuthClient
from marketplace.adminsite.actions import confirmed_action, offered_to
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin, link_to
from marketplace.adminsite.filters import ChoiceFilter, is_set
from marketplace.adminsite.panels import panel


class BlockedFilter(ChoiceFilter):
    title, parameter_name = "blocked", "blocked_at"
    options = is_set("blocked_at")


class LiveFilter(ChoiceFilter):
    title, parameter_name = "state", "state"
    options = {"live": ("live", lambda connections: connections.live())}


def connections_panel(_admin, request, client):
    """Its newest connections."""

    def line(connection):
        note = f"{connection.state}, since {connection.created_at:%d %b %Y, %H:%M}"
        return (
            connection.claim.agent,
            note,
            link_to(request, "connections.connection", connection.pk),
        )

    return panel("Connections", client.connections.for_list(), line)


class OAuthClientAdmin(ReadOnlyModelAdmin):
    menu = MenuItem("Agents", 25, "apps")
    list_display = ["__str__", "hosts", "created_at", "last_used_at", "blocked_at"]
    fields = ["name", "redirect_uris", "created_at", "last_used_at", "blocked_at"]
    list_filter = [BlockedFilter]
    search_fields = ["public_id"]  # see `find`
    search_help_text = "A whole client_id"
    panels = [connections_panel]
    actions = ["block", "unblock"]

    def find(self, queryset, term):
        return queryset.filter(public_id=term)

    @confirmed_action(
        "Block",
        permissions=["act"],
        danger=True,
        text="Its connections end, and nobody can connect it again. A program that is blocked can "
        "register as another client.",
        facts=lambda self, clients: [(client, client.hosts) for client in clients],
        refusal="Nothing to block: all of these are blocked.",
    )
    @offered_to(lambda client: client.blocked_at is None)
    def block(self, request, queryset):
        then = "Nobody can connect them."
        self.change_each(request, queryset, "Blocked.", OAuthClient.block, then=then)

    @confirmed_action(
        "Unblock",
        permissions=["act"],
        text="Operators can connect it again. The connections that it had stay ended.",
        refusal="Nothing to unblock: none of these is blocked.",
    )
    @offered_to(lambda client: client.blocked_at is not None)
    def unblock(self, request, queryset):
        self.change_each(request, queryset, "Unblocked.", OAuthClient.unblock)


class ConnectionAdmin(ReadOnlyModelAdmin):
    menu = MenuItem("Agents", 26, "cable")
    list_display = fields = [
        *("client", "host", "agent", "operator", "scopes", "created_at", "last_use", "state"),
    ]
    list_filter = [LiveFilter]
    search_fields = ["claim__agent__handle"]  # see `find`
    search_help_text = "A word of the agent's handle or name"
    actions = ["end"]

    def get_queryset(self, request):
        return super().get_queryset(request).for_list().select_related("key")

    def find(self, queryset, term):
        return queryset.filter(claim__agent__in=agents_named(term))

    def agent(self, connection):
        return connection.claim.agent

    def operator(self, connection):
        return connection.key

    @admin.display(description="host")
    def host(self, connection):
        return connection.host or "an app on the person's computer"

    @admin.display(description="last used at", empty_value="-")
    def last_use(self, connection):
        return connection.last_used_at

    @confirmed_action(
        "End",
        permissions=["act"],
        danger=True,
        text="The client can no longer act for the agent. Its operator can connect it again.",
        refusal="Nothing to end: all of these have ended.",
    )
    @offered_to(lambda connection: connection.state == "live")
    def end(self, request, queryset):
        def end(connection):
            return type(connection).objects.filter(pk=connection.pk).end_all("Ended by staff") > 0

        self.change_each(request, queryset, "Ended.", end, then="Their tokens no longer work.")


if settings.OAUTH:  # Without it, the admin has no such pages.
    admin.site.register(OAuthClient, OAuthClientAdmin)
    admin.site.register(Connection, ConnectionAdmin)
