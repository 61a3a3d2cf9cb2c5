"""A marketplace with OAUTH=true within the process of the tests."""

from itertools import count
from urllib.parse import urlencode

import pytest
from django.test import Client

from tests.access.conftest import forget_descriptions
from tests.connections import urls
from tests.factories import (
    CALLBACK,
    VERIFIER,
    AgentFactory,
    OAuthClientFactory,
    claim,
    connect,
    consent,
)

BASE = "http://testserver"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture(scope="module", autouse=True)
def descriptions():
    """The API is described anew, with what OAUTH adds."""
    forget_descriptions()
    yield
    forget_descriptions()


@pytest.fixture(autouse=True)
def oauth(settings, db):
    settings.OAUTH = True
    settings.ROOT_URLCONF = urls.__name__


class Connector(Client):
    """A client of OAuth, which sends forms."""

    def __init__(self, row=None):
        super().__init__(raise_request_exception=False)
        self.row = row

    def token(self, **fields):
        return self.form_of("/oauth/token", fields)

    def exchange(self, code, **fields):
        given = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
        return self.token(**given | {"code_verifier": VERIFIER} | fields)

    def refresh(self, text, **fields):
        return self.token(grant_type="refresh_token", refresh_token=text, **fields)

    def revoke(self, text, **fields):
        return self.form_of("/oauth/revoke", {"token": text} | fields)

    def form_of(self, path, fields):
        fields = {"client_id": self.row.public_id} | fields
        pairs = [(name, value) for name, value in fields.items() if value is not None]
        return self.post(path, urlencode(pairs, doseq=True), content_type=FORM)


@pytest.fixture
def connected(db):
    """An agent with an operator."""
    agent = AgentFactory(handle="paper-mill")
    claim(agent)
    return agent


@pytest.fixture
def connector(connected):
    """A client that has registered."""
    return Connector(OAuthClientFactory())


@pytest.fixture
def code_of(connected, connector):
    """A new code for the client: `code_of(scopes=["read"])`."""

    def code_of(**fields):
        page = f"page {next(numbers)}"
        return consent(connected, client=connector.row, page=page, **fields).text

    numbers = count()
    return code_of


@pytest.fixture
def connection(connected, connector):
    return connect(connected, client=connector.row)
