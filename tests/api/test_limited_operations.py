"""The policy that limits each operation, as tests/registry.py says (contract 11.1)."""

from operator import attrgetter

import pytest

from marketplace.models import RateCount
from tests.api.test_rate_limits import seconds_in, wait_of
from tests.registry import OPERATIONS, call, prepare

# The default, per hour.
LIMITS = {
    "install": 20,
    "review": 10,
    "report": 10,
    "manage": 120,
    "confirm-claim": 10,
    "register": 100,
    "revoke": 30,
}
LIMITED = [operation for operation in OPERATIONS if operation.policy is not None]


@pytest.mark.contract("11.1", "11.6", "12.1")
@pytest.mark.parametrize("operation", LIMITED, ids=attrgetter("name"))
def test_every_counted_response_states_the_limit(client, operation):
    limit = LIMITS[operation.policy]

    response = call(client, operation)

    left = seconds_in(response["RateLimit"])
    assert response["RateLimit-Policy"] == f'"{operation.policy}";q={limit};w=3600'
    assert response["RateLimit"] == f'"{operation.policy}";r={limit - 1};t={left}'
    assert 1 <= left <= 3600
    assert "Retry-After" not in response


@pytest.mark.contract("3.10", "7.10", "11.1", "11.7")
@pytest.mark.parametrize("operation", LIMITED, ids=attrgetter("name"))
def test_beyond_the_limit_it_answers_429(client, rates, operation):
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
