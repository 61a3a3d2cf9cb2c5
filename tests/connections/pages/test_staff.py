"""Clients and their connections in the admin (contract 35.29)"""

import types

import pytest
from django.contrib import admin
from django.urls import clear_url_caches, path
from django.utils import timezone

from audit.models import AuditEvent
from connections.admin import ConnectionAdmin, OAuthClientAdmin
from connections.models import Connection, OAuthClient
from tests.admin.actions import send
from tests.browser import untouched_form
from tests.connections import urls

pytestmark = pytest.mark.contract("35.29")

CLIENTS, CONNECTIONS = "/admin/connections/oauthclient/", "/admin/connections/connection/"


@pytest.fixture(autouse=True)
def pages(settings, oauth):
    """The admin's pages, which it registers at the start of a server with OAUTH=true."""
    admin.site.register(OAuthClient, OAuthClientAdmin)
    admin.site.register(Connection, ConnectionAdmin)
    module = types.ModuleType("urls_with_admin")
    vars(module).update(vars(urls))
    module.urlpatterns = [path("admin/", admin.site.urls), *urls.urlpatterns]
    settings.ROOT_URLCONF = module
    yield
    admin.site.unregister([OAuthClient, Connection])
    clear_url_caches()


def confirm(browser, url, action, row):
    form = {"action": action, "_selected_action": [row.pk]}
    page = browser.post(url, form)
    assert page.status_code == 200, page.content
    return send(browser, url, untouched_form(page) | form | {"confirmed": "yes"})


def test_the_lists_show_client_host_since_and_last_use(admin_client, connect_as, agent, claude):
    connect_as(agent)

    clients = admin_client.get(CLIENTS).content.decode()
    connections = admin_client.get(CONNECTIONS).content.decode()

    for text in ("Claude", "claude.example, 127.0.0.1", f"{timezone.now():%d %b %Y}"):
        assert text in clients
    for text in ("Claude", "claude.example", "caller", "read, install, review", "live"):
        assert text in connections
    assert str(agent.claim.key.hint) in connections
    page = admin_client.get(f"{CLIENTS}{claude.pk}/change/").content.decode()
    assert "live, since" in page
    assert "Block" in page
    assert admin_client.get(f"{CLIENTS}?q={claude.public_id}").status_code == 200
    found = admin_client.get(f"{CONNECTIONS}?q=caller&state=live").content.decode()
    assert "claude.example" in found
    assert "0 connections" in admin_client.get(f"{CONNECTIONS}?q=nobody").content.decode()


def test_staff_end_a_connection(admin_client, connect_as, agent, client_of):
    connection = connect_as(agent)
    last = AuditEvent.objects.latest("pk").pk

    page = confirm(admin_client, CONNECTIONS, "end", connection)

    assert "Their tokens no longer work." in page.content.decode()
    assert client_of(token=connection.access_token).get("/api/v1/agents/me").status_code == 401
    assert connection.token.revocation_reason == "Ended by staff"
    [event] = AuditEvent.objects.filter(pk__gt=last)
    assert (event.actor_kind, event.actor_name, event.action) == ("staff", "clerk-0", "end")
    assert (event.object_kind, event.object_name) == ("connection", "Claude for caller")
    page = admin_client.post(CONNECTIONS, {"action": "end", "_selected_action": [connection.pk]})
    assert AuditEvent.objects.latest("pk") == event


def test_staff_block_and_unblock_a_client(
    admin_client, connect_as, agent, claude, person, address_of
):
    connection = connect_as(agent)
    last = AuditEvent.objects.latest("pk").pk

    confirm(admin_client, CLIENTS, "block", claude)

    assert not Connection.objects.live().exists()
    assert connection.token.revocation_reason == "Staff blocked its client"
    [event] = AuditEvent.objects.filter(pk__gt=last)
    assert (event.action, event.object_kind, event.object_name) == (
        *("block", "oauthclient", "Claude"),
    )
    assert person.get(address_of()).status_code == 400
    confirm(admin_client, CLIENTS, "unblock", claude)
    assert [row.action for row in AuditEvent.objects.filter(pk__gt=event.pk)] == ["unblock"]
    assert person.get(address_of()).status_code == 200
    assert not Connection.objects.live().exists()


def test_moderators_do_it_and_editors_do_not(admin_client_of, connect_as, agent):
    connection = connect_as(agent)

    editor, moderator = admin_client_of("Editors"), admin_client_of("Moderators")
    for url in (CLIENTS, CONNECTIONS, f"{CONNECTIONS}{connection.pk}/change/"):
        assert (editor.get(url).status_code, moderator.get(url).status_code) == (403, 200)
    confirm(moderator, CONNECTIONS, "end", connection)
    assert not Connection.objects.live().exists()


def test_without_connectors_the_admin_has_no_such_pages(admin_client, settings):
    settings.ROOT_URLCONF = "marketplace.urls"

    assert admin_client.get(CLIENTS).status_code == 404
