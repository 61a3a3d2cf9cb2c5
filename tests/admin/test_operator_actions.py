"""What staff do with operators in the admin (contract 19.16)"""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from agents.models import OperatorKey
from operators.models import OperatorSession
from tests.admin.actions import take_action
from tests.admin.operators import (
    ENDED,
    ME,
    OPERATORS,
    REVOKE,
    key_of,
    listed,
    offered,
    reasons,
    text_of,
)
from tests.admin.rows import change_page, url_of
from tests.factories import AgentFactory, ask_for_code, claim


def test_ending_the_sessions_is_asked_first_and_logged(admin_client, agent):
    claim(agent)
    claim(other := AgentFactory())
    key = key_of(agent)
    for operator_key in (key, key, key_of(other)):
        OperatorSession.objects.begin(operator_key)
    url = f"{OPERATORS}{key.pk}/do/end_sessions/"

    confirmation = admin_client.get(url)
    assert "2 open" in confirmation.content.decode()
    assert OperatorSession.objects.count() == 3

    assert admin_client.post(url, {"confirmed": "yes"}).status_code == 302
    assert [session.key for session in OperatorSession.objects.all()] == [key_of(other)]
    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.change_message) == (str(key.pk), "Ended the sessions.")
    history = admin_client.get(url_of(OperatorKey, "history", key.pk)).content.decode()
    assert "Ended the sessions." in history
    assert "clerk-0" in history


@pytest.mark.contract("19.16")
def test_a_revoked_key_has_ended_and_its_agents_work_on(admin_client, agent, client):
    claim(agent)
    OperatorSession.objects.begin(key_of(agent))

    take_action(admin_client, "revoke", key_of(agent))

    ((_, agents, sessions, state),) = listed(admin_client).values()
    assert (agents, sessions, state) == ("1", "0", ENDED)
    assert "Revoked by staff" in text_of(admin_client, key_of(agent))
    assert client.get(ME).json()["claim"]["operator"] == {"name": "Ada Lovelace"}
    assert LogEntry.objects.get().change_message == "Revoked."


def test_the_first_reason_of_a_key_that_ended_stays(admin_client, agent, anyone):
    anyone.post(REVOKE, {"token": claim(agent)})

    take_action(admin_client, "revoke", key_of(agent))

    assert key_of(agent).revocation_reason == "Reported as leaked"


def noted(key):
    """What the operator's own history says."""
    entries = LogEntry.objects.filter(object_id=key.pk, content_type__model="operatorkey")
    return [entry.change_message for entry in entries]


def test_all_claims_of_an_operator_are_released(admin_client, agent, client):
    text = claim(agent)
    key = key_of(agent)
    claim(second := AgentFactory(), key=text, name="Countess")
    claim(other := AgentFactory(), name="Grace Hopper")
    agent.change(limits={"install": 1})
    second.pause()

    take_action(admin_client, "release_claim", key)

    assert client.get(ME).json()["claim"]["status"] == "unclaimed"
    for released, name in [(agent, "Ada Lovelace"), (second, "Countess")]:
        released.refresh_from_db()
        assert (key_of(released), released.paused_at, released.limits) == (None, None, {})
        entry = LogEntry.objects.get(object_id=released.pk, content_type__model="agent")
        assert entry.change_message == f"Released the claim of {name}."
        assert reasons(released)[0] == entry.change_message
    assert other.claim.status == "claimed"
    assert noted(key) == [f"Released {agent.handle}, {second.handle}."]
    key.refresh_from_db()
    assert key.revocation_reason == "Its last agent has left it"


@pytest.mark.contract("19.16")
def test_all_agents_of_an_operator_are_suspended(admin_client, agent, client, client_of):
    text = claim(agent)
    claim(second := AgentFactory(), key=text)
    claim(other := AgentFactory())

    take_action(admin_client, "suspend", key_of(agent), reason="They flood.")

    statuses = [client_of(row).get(ME).status_code for row in (agent, second, other)]
    assert statuses == [401, 401, 200]
    assert noted(key_of(agent)) == [f"Suspended {agent.handle}, {second.handle}."]
    assert reasons(agent)[0] == reasons(second)[0] == "Suspended: They flood."


def test_each_history_says_that_several_operators_were_chosen(admin_client, agent):
    claim(agent)
    claim(other := AgentFactory())
    keys = [key_of(row) for row in (agent, other)]

    take_action(admin_client, "release_claim", *keys)

    text = f"Released {agent.handle}, {other.handle} (one of 2 selected rows)."
    assert [noted(key) for key in keys] == [[text], [text]]


def test_the_question_counts_the_agents_that_it_does_not_show(admin_client, agent):
    text = claim(agent)
    for _ in range(21):
        claim(AgentFactory(), key=text)

    for action in ("suspend", "release_claim"):
        page = admin_client.get(f"{OPERATORS}{key_of(agent).pk}/do/{action}/")
        assert "and 2 more" in page.content.decode()


@pytest.mark.parametrize("action", ["suspend", "release_claim"])
def test_an_action_is_limited_to_as_many_agents_as_it_has_time_for(
    admin_client, agent, monkeypatch, action
):
    monkeypatch.setattr("operators.admin.MAX_AT_ONCE", 2)
    text, agents = claim(agent), [agent, AgentFactory(), AgentFactory()]
    for row in agents[1:]:
        claim(row, key=text)
    key = key_of(agent)

    def states():
        for row in agents:
            row.refresh_from_db()
        return [(row.state, row.claim.status) for row in agents]

    before, after = ("active", "claimed"), ("suspended", "claimed")
    if action == "release_claim":
        after = ("active", "unclaimed")
    first = take_action(admin_client, action, key, reason="They flood.").content.decode()
    assert states() == [after, after, before]
    assert "Only 2 agents at a time: repeat this for the others." in first

    second = take_action(admin_client, action, key, reason="They flood.").content.decode()
    assert states() == [after, after, after]
    assert "at once" not in second


def test_an_agent_that_merely_waits_for_its_code_is_left_alone(admin_client, agent, client_of):
    text = claim(agent)
    ask_for_code(waiting := AgentFactory(), key=text)
    assert waiting.claim.codes.get().key == key_of(agent)

    take_action(admin_client, "suspend", key_of(agent), reason="They flood.")
    take_action(admin_client, "release_claim", key_of(agent))

    assert client_of(waiting).get(ME).status_code == 200
    waiting.claim.refresh_from_db()
    assert waiting.claim.status == "pending"


def test_a_page_offers_what_would_change_the_operator(admin_client, agent):
    claim(agent)
    key = key_of(agent)
    usual = {"verify", "revoke", "suspend", "release_claim"}
    assert offered(admin_client, key) == usual

    OperatorSession.objects.begin(key)
    assert offered(admin_client, key) == usual | {"end_sessions"}

    take_action(admin_client, "verify", key)
    assert offered(admin_client, key) == usual | {"end_sessions", "end_verification"}

    agent.claim.release()
    assert offered(admin_client, key) == {"end_verification"}
    take_action(admin_client, "end_verification", key)
    assert offered(admin_client, key) == set()


@pytest.mark.parametrize(
    ("permissions", "actions"),
    [
        ({"view_operatorkey"}, set()),
        ({"view_operatorkey", "change_operatorkey"}, {"verify", "revoke"}),
        ({"view_operatorkey", "change_agent"}, {"suspend", "release_claim"}),
    ],
)
def test_an_action_needs_its_permission(agent, permissions, actions):
    claim(agent)
    user = User.objects.create_user("clerk", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    (clerk := Client()).force_login(user)

    assert offered(clerk, key_of(agent)) == actions


def test_a_moderator_does_all_of_it_and_an_editor_nothing(admin_client_of, agent):
    claim(agent)
    moderator, editor = admin_client_of("Moderators"), admin_client_of("Editors")

    everything = {"verify", "revoke", "suspend", "release_claim"}
    assert offered(moderator, key_of(agent)) == everything
    assert editor.get(OPERATORS).status_code == 403
    assert editor.get(change_page(key_of(agent))).status_code == 403


@pytest.mark.contract("29.18")
def test_staff_verify_the_names_that_an_operator_has_now(admin_client, agent):
    key_text = claim(agent, name="Ada")
    key = key_of(agent)
    take_action(admin_client, "verify", key)
    claim(AgentFactory(), key=key_text, name="The Queen")

    page = admin_client.get(change_page(key))

    [names] = [panel for panel in page.context["panels"] if panel["title"] == "Names"]
    assert [name for name, _, _ in names["rows"]] == ["Ada", "The Queen (not verified)"]
    take_action(admin_client, "end_verification", key)
    assert "Ada (not verified)" in admin_client.get(change_page(key)).content.decode()
