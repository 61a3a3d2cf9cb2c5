"""The policy that limits each operation, as tests/registry.py says (contract 11.1)."""

from operator import attrgetter

import pytest

from marketplace.models import RateCount
from tests.api.test_rate_limits import seconds_in, wait_of
from tests.registry import OPERATIONS, allow_all, call, prepare

HOUR, DAY = 60 * 60, 24 * 60 * 60
# The default, and its seconds.
LIMITS = {
    "install": (20, HOUR),
    "review": (10, HOUR),
    "report": (10, HOUR),
    "manage": (120, HOUR),
    "submit": (60, DAY),
    "confirm-claim": (10, HOUR),
    "register": (100, HOUR),
    "revoke": (30, HOUR),
    "exchange": (300, HOUR),
}
LIMITED = [operation for operation in OPERATIONS if operation.policy is not None]


@pytest.mark.contract("11.1", "11.6", "12.1")
@pytest.mark.parametrize("operation", LIMITED, ids=attrgetter("name"))
def test_every_counted_response_states_the_limit(client, agent, operation):
    allow_all(agent)
    limit, window = LIMITS[operation.policy]

    response = call(client, operation)

    left = seconds_in(response["RateLimit"])
    assert response["RateLimit-Policy"] == f'"{operation.policy}";q={limit};w={window}'
    assert response["RateLimit"] == f'"{operation.policy}";r={limit - 1};t={left}'
    assert 1 <= left <= window
    assert "Retry-After" not in response


@pytest.mark.contract("3.10", "7.10", "11.1", "11.7")
@pytest.mark.parametrize("operation", LIMITED, ids=attrgetter("name"))
def test_beyond_the_limit_it_answers_429(client, agent, rates, operation):
    allow_all(agent)
    rates(**{operation.policy: "1/h"})
    assert call(client, operation).status_code != 429

    response = call(client, operation)

    assert 1 <= wait_of(response, operation.policy) <= 3600
    assert response["RateLimit-Policy"] == f'"{operation.policy}";q=1;w=3600'


@pytest.mark.contract("11.1")
def test_the_other_operations_are_not_counted(client, agent, subtests):
    prepare(agent)

    for operation in OPERATIONS:
        if operation.policy is None:
            with subtests.test(operation.name):
                response = call(client, operation)

                assert response.status_code == operation.status
                assert not {"RateLimit", "RateLimit-Policy"} & response.headers.keys()
    assert not RateCount.objects.filter(count__gt=0).exists()
