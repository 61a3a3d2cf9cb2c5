import json
import os
import re
import tempfile
import time
from contextlib import ExitStack, contextmanager
from itertools import count

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client, TransactionTestCase, utils
from django.test.signals import template_rendered
from django_ratelimit.core import _get_window

from infrastructure.http_cache.store import cached_responses
from interfaces.openapi.document import made_document
from marketplace.middleware.static_files import StaticFilesMiddleware
from marketplace.models import RateCount
from marketplace.ratelimits import counters
from tests.browser import logged_in
from tests.cleanup import empty_the_database
from tests.external import npm_folder
from tests.factories import AgentFactory
from tests.live import LiveServer, SharedServers
from tests.openapi_contract import assert_as_described

# The production hasher is slow on purpose, and the tests create many users.
django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Migrated already (tests/database.py), unless the tests run on a database of yours.
django_settings.DATABASES["default"].setdefault("TEST", {})["TEMPLATE"] = os.environ.get(
    "TEMPLATE_OF_TESTS"
)

TransactionTestCase._fixture_teardown = lambda _case: empty_the_database()
# A new connection costs PostgreSQL as much as a test, because it reads the catalog again.
TransactionTestCase._should_reload_connections = lambda _case: False

AXE = "axe-core@4.14.1"


class FoundOnceMiddleware(StaticFilesMiddleware):
    """WhiteNoise, reusing the static files that its first instance found.

    Every client loads the middleware, and finding the files took a third of a test.
    """

    files_of_finders = {}

    def add_files_from_finders(self):
        if not self.files_of_finders:
            super().add_files_from_finders()
            self.files_of_finders.update(self.files)
        self.files.update(self.files_of_finders)


django_settings.MIDDLEWARE = [
    f"{FoundOnceMiddleware.__module__}.{FoundOnceMiddleware.__name__}"
    if name == "marketplace.middleware.static_files.StaticFilesMiddleware"
    else name
    for name in django_settings.MIDDLEWARE
]


def render_and_tell(template, context):
    """What Django's test client needs, for whole templates only.

    It copies the context of each template that it is told of. A page of the admin includes 200.
    """
    if context.template is template:
        template_rendered.send(sender=template, template=template, context=context)
    return template.nodelist.render(context)


utils.instrumented_test_render = render_and_tell

MILLISECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class ApiClient(Client):
    """Django's test client speaking JSON, as one agent once it has a token."""

    token = None

    def generic(self, method, path, data="", content_type="application/json", **extra):
        if self.token is not None:
            extra["headers"] = {"Authorization": f"Bearer {self.token}"} | (
                extra.get("headers") or {}
            )
        return super().generic(method, path, data, content_type, **extra)

    def request(self, **environ):
        response = read_whole(super().request(**environ))
        assert_as_described(environ["REQUEST_METHOD"], environ["PATH_INFO"], response)
        return response

    def post(self, path, data=b"{}", **extra):
        return self.generic("POST", path, as_json(data), **extra)

    def patch(self, path, data=b"{}", **extra):
        return self.generic("PATCH", path, as_json(data), **extra)


def read_whole(response):
    """The response with its `content`, even if it is sent from a file."""
    if not response.streaming:
        return response
    status, headers = response.status_code, response.headers
    return HttpResponse(response.getvalue(), status=status, headers=headers)


def as_json(data):
    return data if isinstance(data, bytes | str) else json.dumps(data)


@pytest.fixture(autouse=True)
def clear_response_cache():
    """No test gets a response that another test cached."""
    cached_responses.clear()


@pytest.fixture(autouse=True)
def keep_expired_counters(monkeypatch):
    """The statement that purges them runs at random, and tests count statements."""
    monkeypatch.setattr(counters, "PURGE_ONE_IN", 10**9)


@pytest.fixture(autouse=True)
def lasting_windows(monkeypatch):
    """No window of a rate limit ends during a test, unless the test sets the clock."""
    windows, clock = {}, time.time

    def lasting_window(value, period):
        window = _get_window(value, period)
        return windows.setdefault((value, period), window) if time.time is clock else window

    monkeypatch.setattr("django_ratelimit.core._get_window", lasting_window)
    monkeypatch.setattr("marketplace.ratelimits.windows._get_window", lasting_window)


@pytest.fixture
def downloads(monkeypatch, tmp_path):
    """The folder of large downloads, empty."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"marketplace-downloads-{os.geteuid()}"


@pytest.fixture
def anyone(db):
    """A client without a token."""
    return ApiClient(raise_request_exception=False)


@pytest.fixture
def agent(db):
    return AgentFactory(handle="caller", name="The Caller")


@pytest.fixture
def client(agent):
    """A client with the token of `agent`."""
    client = ApiClient(raise_request_exception=False)
    client.token = agent.token.text
    return client


@pytest.fixture
def client_of(db):
    """A client for any agent, or for any token."""

    def client_of(agent=None, *, token=None):
        client = ApiClient(raise_request_exception=False)
        client.token = token or agent.token.text
        return client

    return client_of


@pytest.fixture
def admin_client(db):
    """A superuser's browser."""
    return logged_in(User.objects.create_superuser("clerk-0"))


@pytest.fixture
def rates(settings):
    """Set rate limits: `rates(install="3/h")`."""
    made_document()  # once per process, with the default limits

    def rates(**limits):
        settings.RATE_LIMITS = {
            **settings.RATE_LIMITS,
            **{
                policy.replace("_", "-"): limit if isinstance(limit, dict) else {"free": limit}
                for policy, limit in limits.items()
            },
        }

    return rates


@pytest.fixture
def alone(subtests):
    """A subtest that leaves nothing to the next one: its writes and counts are rolled back."""

    @contextmanager
    def alone(name):
        with subtests.test(name), transaction.atomic():
            yield
            transaction.set_rollback(True)

    return alone


@pytest.fixture
def fresh_counts(transactional_db):
    """For tests that count over real connections: delete the counters of other tests."""
    RateCount.objects.all().delete()


@pytest.fixture(scope="session")
def shared_servers(django_db_setup, tmp_path_factory):
    """The servers of all tests that only send requests."""
    with SharedServers(tmp_path_factory.mktemp("servers")) as servers:
        yield servers


@pytest.fixture
def live_server_of(transactional_db, shared_servers):
    """A real server in this environment: `live_server_of(RATE_LIMIT_INSTALL="3/h")`.

    Tests share it. A test that stops it, counts it or reads its log uses `own_server_of`.
    """
    return shared_servers.of


@pytest.fixture
def own_server_of(transactional_db, tmp_path):
    """Start real servers for this test only: for tests that stop, signal or count them."""
    logs = (tmp_path / f"own-server-{number}.log" for number in count())
    with ExitStack() as servers:
        yield lambda **environment: servers.enter_context(LiveServer(next(logs), environment))


@pytest.fixture
def serious_violations(request):
    """The serious and critical findings of axe-core on a page: `[(rule, elements), …]`."""
    source = npm_folder(request.config, AXE) / "node_modules/axe-core/axe.min.js"

    def serious_violations(page):
        # Evaluated by the browser's debugger, to which no Content-Security-Policy applies.
        if page.evaluate("window.axe === undefined"):
            page.evaluate(source.read_text())
        violations = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [
            (violation["id"], [node["target"] for node in violation["nodes"]])
            for violation in violations
            if violation["impact"] in {"serious", "critical"}
        ]

    return serious_violations
