"""A marketplace that uses a real provider on the loopback, within the process of the tests."""

import http.client
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from demo.provider import CLIENT_ID, DemoProvider
from marketplace import documents, oidc
from tests.access.conftest import forget_descriptions
from tests.people import urls  # before a test sets an issuer: the routes of others have none

HOST = "http://testserver"
GROUPS = {"editors": {"writers"}, "moderators": {"helpers"}, "superusers": {"it"}}
SIGN_IN, CALLBACK = "/admin/sign-in", "/admin/sign-in/callback"


class FaultyProvider(DemoProvider):
    """The demo's, which can also be made to send other claims and documents."""

    def __init__(self):
        super().__init__()
        self.changes, self.documents, self.requests = {}, {}, []

    def get(self, path, query, person):
        self.requests.append(path)
        return super().get(path, query, person)

    def claims(self, granted):
        """A claim that is changed to None is absent."""
        claims = super().claims(granted) | self.changes
        return {name: value for name, value in claims.items() if value is not None}

    def discovery(self):
        return super().discovery() | self.documents


class PersonBrowser(Client):
    """The browser of somebody who signs in at the provider."""

    def __init__(self, provider, person=None):
        super().__init__(raise_request_exception=False)
        self.provider, self.person = provider, person

    def lead(self, response):
        """Follow a redirect to the provider; returns the address that it leads back to."""
        assert response.status_code == 302, response.content
        url = urlsplit(response["Location"])
        assert f"{url.scheme}://{url.netloc}" == self.provider.url
        link = http.client.HTTPConnection(url.netloc, timeout=10)
        headers = {"Cookie": f"demo-provider={self.person}"} if self.person else {}
        link.request("GET", f"{url.path}?{url.query}", headers=headers)
        answer = link.getresponse()
        assert answer.status == 302, answer.read()
        link.close()
        return answer.headers["Location"].removeprefix(HOST)

    def come_back(self, address, **changes):
        """Open the callback as the provider leads there, and once more from our own page."""
        url = urlsplit(address)
        assert url.path == CALLBACK
        query = dict(parse_qsl(url.query)) | changes
        query = {name: value for name, value in query.items() if value is not None}
        strict = self.cookies.pop("staff", None)  # A browser does not send it from another site.
        page = self.get(f"{CALLBACK}?{urlencode(query)}", headers={"Sec-Fetch-Site": "cross-site"})
        assert (page.status_code, {**page.cookies}) == (200, {})
        if strict is not None:
            self.cookies["staff"] = strict.value
        return self.get(page.context["address"])

    def sign_in(self, back="", **changes):
        """The whole way, by default from the button; returns the last response."""
        address = SIGN_IN + (f"?{urlencode({'next': back})}" if back else "")
        return self.come_back(self.lead(self.get(address)), **changes)


@pytest.fixture
def provider(settings, db):
    """The provider of a marketplace whose catalogue is public."""
    with FaultyProvider() as provider:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = provider.url, CLIENT_ID
        settings.OIDC_CLIENT_SECRET = provider.secret
        settings.OIDC_GROUPS, settings.OIDC_GROUPS_CLAIM = GROUPS, "groups"
        settings.AUTHENTICATION_BACKENDS = oidc.BACKENDS
        settings.ROOT_URLCONF = urls.__name__
        yield provider
    # A thread that has waited for it may still have the turn of this process.
    assert documents.turn.acquire(timeout=20)
    documents.turn.release()


@pytest.fixture
def members(provider, settings):
    """The same with a members-only catalogue."""
    settings.CATALOGUE = "members"
    settings.OIDC_GROUPS = GROUPS | {"members": {"everyone"}}
    forget_descriptions()
    yield
    forget_descriptions()


@pytest.fixture
def browser_of(provider):
    """The browser of a person of the provider: `browser_of("ada")`."""

    def browser_of(person=None):
        return PersonBrowser(provider, person)

    return browser_of


@pytest.fixture
def ada(browser_of):
    """An editor's browser, after signing in."""
    browser = browser_of("ada")
    assert browser.sign_in().status_code == 302
    return browser


@pytest.fixture
def age(provider):
    """Let the last look of a browser's session lie so many seconds back."""

    def age(browser, seconds=15 * 60):
        session = browser.session
        session["looked_at"] -= seconds
        session.save()

    return age


@pytest.fixture
def superuser(provider):
    """The browser of a superuser who has a password."""
    browser = Client()
    browser.force_login(User.objects.create_superuser("root", password="right-password"))
    return browser


@pytest.fixture
def assert_refused(caplog):
    """Assert that a response refuses to sign in, and that the log has the reason."""

    def assert_refused(response, sentence, reason="", status=403):
        text = response.content.decode()
        assert response.status_code == status, text
        assert response.context["sentence"] == sentence
        assert '<a href="/admin/sign-in' in text
        assert "staff" not in response.cookies
        assert "no-store" in response["Cache-Control"]
        assert reason in caplog.text
        caplog.clear()

    return assert_refused
