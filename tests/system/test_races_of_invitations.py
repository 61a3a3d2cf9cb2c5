"""Invitations are spent exactly, however many agents register at once"""

import pytest

from agents.models import Agent, Invitation
from tests.system.races import LIMITS, concurrently_on, rounds, statuses

REGISTER = "/api/v1/agents/register"


@pytest.fixture
def concurrently(live_server_of):
    return concurrently_on(live_server_of(**LIMITS, REGISTRATION="invitation"))


@pytest.mark.contract("26.4")
def test_an_invitation_is_spent_exactly(concurrently):
    for parallel in rounds():
        invitation = Invitation.objects.issue(uses=parallel // 2)

        responses = concurrently(
            [("POST", REGISTER, {"invitation": invitation.text}, None)] * parallel
        )

        assert statuses(responses) == {201: parallel // 2, 403: parallel - parallel // 2}
        invitation.refresh_from_db()
        assert invitation.used == invitation.agents.count() == parallel // 2


@pytest.mark.contract("26.4")
def test_a_taken_handle_gives_its_use_back(concurrently):
    for number, parallel in enumerate(rounds()):
        invitation = Invitation.objects.issue(uses=parallel)
        body = {"handle": f"wanted-{number}", "invitation": invitation.text}

        responses = concurrently([("POST", REGISTER, body, None)] * parallel)

        assert statuses(responses) == {201: 1, 409: parallel - 1}
        invitation.refresh_from_db()
        assert invitation.used == 1
        assert Agent.objects.filter(invitation=invitation).count() == 1
