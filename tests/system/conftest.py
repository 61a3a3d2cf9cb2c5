import pytest

from tests.system.races import LIMITS, concurrently_on


@pytest.fixture
def server(live_server_of):
    return live_server_of(**LIMITS)


@pytest.fixture
def concurrently(server):
    return concurrently_on(server)
