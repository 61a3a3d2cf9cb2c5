"""A marketplace with connectors, a client that has registered, and the person who connects it."""

from urllib.parse import urlencode

import pytest

from agents.models import OperatorClaim
from connections.models import AuthorizationCode, OAuthClient
from tests.admin.conftest import admin_client_of  # noqa: F401
from tests.connections.pages.consenting import CALLBACK, CHALLENGE, LOOPBACK, ConnectBrowser
from tests.factories import claim


@pytest.fixture
def claude(oauth):
    """A client that has registered itself."""
    return OAuthClient.objects.register(name="Claude", redirect_uris=[CALLBACK, LOOPBACK])


@pytest.fixture
def address_of(claude):
    """Where the client sends a person; None leaves a parameter out, a list repeats it."""

    def address_of(**changes):
        parameters = {
            "response_type": "code",
            "client_id": claude.public_id,
            "redirect_uri": CALLBACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "s t&a=te",
            **changes,
        }
        sent = {name: value for name, value in parameters.items() if value is not None}
        return f"/operator/connect?{urlencode(sent, doseq=True)}"

    return address_of


@pytest.fixture
def person(claude, agent):
    """The browser of the operator of `agent`, whose handle is "caller", logged in."""
    return ConnectBrowser(claim(agent))


@pytest.fixture
def visitor(claude):
    """The browser of a person who has not signed in."""
    return ConnectBrowser()


@pytest.fixture
def connect_as(claude):
    """A connection that the client has opened with a code: `connect_as(agent)`."""

    def connect_as(agent, redirect_uri=CALLBACK, scopes=("read", "install", "review")):
        if not agent.claim.claimed_at:
            claim(agent)
        row = OperatorClaim.objects.select_related("agent", "key").get(agent=agent)
        count = AuthorizationCode.objects.count()
        code = AuthorizationCode.objects.issue(
            f"page {count}",
            client=claude,
            key=row.key,
            claim=row,
            scopes=list(scopes),
            redirect_uri=redirect_uri,
            code_challenge=CHALLENGE,
        )
        return code.spend()

    return connect_as
