import pytest

from tests.admin.conftest import admin_client_of  # noqa: F401
from tests.publishers.issuer import LoopbackIssuer
from tests.submissions.conftest import approve, desk, editor  # noqa: F401

URL = "/api/v1/tokens/exchange"
REFUSED = {"error": "Token is not accepted"}


@pytest.fixture
def issuer():
    issuer = LoopbackIssuer()
    yield issuer
    issuer.close()


@pytest.fixture
def publisher(agent, issuer):
    return issuer.publisher(agent)


@pytest.fixture
def exchange(anyone):
    def exchange(token, **environ):
        return anyone.post(URL, {"token": token}, **environ)

    return exchange


@pytest.fixture
def is_refused(exchange, caplog):
    """Whether a token gets the one 401; `is_refused(token, "reason")` looks into the log."""
    caplog.set_level("INFO", "publishers")

    def is_refused(token, reason):
        caplog.clear()
        response = exchange(token)
        assert (response.status_code, response.json()) == (401, REFUSED)
        assert "WWW-Authenticate" not in response.headers
        assert reason in caplog.text
        assert token not in caplog.text
        return True

    return is_refused
