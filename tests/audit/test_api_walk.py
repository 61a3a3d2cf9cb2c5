"""Which requests to the API are events of the audit trail (contract 33.4)"""

import pytest

from audit.models import AuditEvent
from tests.registry import OPERATIONS, call, prepare

# By operation: the kind of the object. All others have rows of their own, or change nothing.
RECORDED = {
    "confirm_claim": "agent",
    "create_token": "agenttoken",
    "revoke_token": "agenttoken",
    "submit": "submission",
    "withdraw_submission": "submission",
    "exchange_token": "agenttoken",
    "rotate_token": "agenttoken",
}


@pytest.mark.contract("33.4", "33.5")
def test_tokens_claims_and_submissions_are_and_nothing_else(client, agent, subtests):
    prepare(agent)
    AuditEvent.objects.latest("pk")  # the code that the operator asked for

    for operation in OPERATIONS:
        last = AuditEvent.objects.latest("pk").pk
        with subtests.test(operation.name):
            assert call(client, operation).status_code == operation.status
            events = [
                (event.actor_kind, event.actor_name, event.action, event.object_kind, event.address)
                for event in AuditEvent.objects.filter(pk__gt=last)
            ]
            kind = RECORDED.get(operation.name)
            event = ("agent", "caller", operation.name, kind, "127.0.0.1")
            assert events == ([event] if kind else [])


@pytest.mark.contract("33.3")
def test_the_second_of_two_equal_requests_is_none(client, agent):
    prepare(agent)
    [withdraw] = [one for one in OPERATIONS if one.name == "withdraw_submission"]
    [submit] = [one for one in OPERATIONS if one.name == "submit"]
    before = AuditEvent.objects.count()

    statuses = [call(client, one).status_code for one in (withdraw, withdraw, submit, submit)]

    assert statuses == [200, 200, 201, 200]
    actions = AuditEvent.objects.values_list("action", flat=True)[
        : AuditEvent.objects.count() - before
    ]
    assert list(actions) == ["submit", "withdraw_submission"]
