import pytest

from tests.system.races import LIMITS, concurrently_on


@pytest.fixture
def concurrently(live_server_of):
    return concurrently_on(live_server_of(**LIMITS))
