"""Which requests wait for their turn, and whose turn it is."""

import pytest

from marketplace.slow_views import slow_client_of, slow_paths

PEER = "192.0.2.1", 5


@pytest.fixture
def slow_client():
    return slow_client_of(slow_paths())


@pytest.mark.contract("27.11", "29.4")
@pytest.mark.parametrize(
    "path",
    [
        "/git/catalogue.git/info/refs",
        "/git/me.git/git-upload-pack",
        "/git/skills/pdf-tables.git/git-upload-pack",
        "/git/skills/pdf-tables/git-upload-pack",
        "/skills/pdf-tables/versions/compare",
        "/personas/archivist/versions/compare/",
        *("/this-week", "/this-week.atom"),
        "/api/v1/agents/me/submissions",
        "/api/v1/agents/me/submissions/",
    ],
)
def test_slow_requests_wait_for_their_turn(slow_client, path):
    assert slow_client(path, PEER, "") == "192.0.2.1"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/git/",
        "/skills/compare",
        "/skills/pdf-tables/versions/1",
        "/mcp",
        "/api/v1/skills",
        "",
    ],
)
def test_everything_else_is_served_at_once(slow_client, path):
    assert slow_client(path, PEER, "") is None


def test_a_client_is_known_by_the_address_that_limits_count(settings, slow_client):
    settings.TRUSTED_PROXY_COUNT = 1

    client = slow_client("/git/me.git/info/refs", ("10.0.0.1", 5), "6.6.6.6, 192.0.2.7")

    assert client == "192.0.2.7"
