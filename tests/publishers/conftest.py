import pytest

from marketplace import documents
from tests.admin.conftest import admin_client_of  # noqa: F401
from tests.publishers.issuer import LoopbackIssuer
from tests.submissions.conftest import approve, desk, editor  # noqa: F401

URL = "/api/v1/tokens/exchange"
REFUSED = {"error": "Token is not accepted"}
BUSY = {"error": "Service temporarily unavailable. Try again in a few seconds."}


@pytest.fixture
def issuer():
    issuer = LoopbackIssuer()
    yield issuer
    issuer.close()
    for thread in documents.threads.values():
        thread.join(20)
    assert not any(thread.is_alive() for thread in documents.threads.values())


@pytest.fixture
def publisher(agent, issuer):
    return issuer.publisher(agent)


@pytest.fixture
def exchange(anyone):
    def exchange(token, **environ):
        return anyone.post(URL, {"token": token}, **environ)

    return exchange


@pytest.fixture
def assert_refused(exchange, caplog):
    """Assert that a token gets the one 401, and that the log has the reason but not the token."""
    caplog.set_level("INFO", "publishers")

    def assert_refused(token, reason):
        caplog.clear()
        response = exchange(token)
        assert (response.status_code, response.json()) == (401, REFUSED)
        assert "WWW-Authenticate" not in response.headers
        assert response.headers["RateLimit-Policy"] == '"exchange";q=300;w=3600'
        assert reason in caplog.text
        assert token not in caplog.text

    return assert_refused


@pytest.fixture
def assert_unavailable(exchange, issuer):
    def assert_unavailable(low=1, high=60):
        response = exchange(issuer.token())
        assert (response.status_code, response.json()) == (503, BUSY)
        assert low <= int(response.headers["Retry-After"]) <= high

    return assert_unavailable
