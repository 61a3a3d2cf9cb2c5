"""The history of agents and tokens: what staff do, and what operators do in the console"""

import re

from agents.models import OperatorKey
from tests.admin.actions import take_action
from tests.admin.test_history import history
from tests.factories import claim, claim_by_code

API = "/api/v1"


def test_the_history_has_actions_that_change_no_column(admin_client, agent):
    claim_by_code(agent)
    take_action(admin_client, "issue_token", agent, issue="Issue", scopes="read")
    take_action(admin_client, "issue_token", agent, issue="Issue", scopes="read")
    take_action(admin_client, "release_claim", agent)

    newest, older = agent.tokens.all()[:2]
    assert [snapshot.history_change_reason for snapshot in agent.history.all()] == [
        "Released the claim of Ada Lovelace.",
        f"Issued the token {newest.hint}.",
        f"Issued the token {older.hint}.",
        f"Claimed the agent, with the key {OperatorKey.objects.get()}.",
        "Snapshot before the change",
    ]


def test_an_event_is_not_said_to_have_changed_what_the_agent_did_before(
    admin_client, agent, client
):
    take_action(admin_client, "issue_token", agent, issue="Issue", scopes="read")
    assert client.patch(f"{API}/agents/me", {"name": "New Name"}).status_code == 200

    take_action(admin_client, "issue_token", agent, issue="Issue", scopes="read")

    event, before, _, _ = history(admin_client, agent).context["page_obj"]
    assert event.history_delta_changes == []
    assert [change["name"] for change in before.history_delta_changes] == ["Name"]


def test_a_released_claim_is_in_the_history_with_the_pause_that_it_ended(admin_client, agent):
    claim(agent)
    agent.pause()

    take_action(admin_client, "release_claim", agent)

    released = history(admin_client, agent).context["page_obj"][0]
    assert [change["name"] for change in released.history_delta_changes] == ["Paused at"]


def test_the_history_names_the_operator_who_changed_an_agent(admin_client, agent):
    token = agent.token
    agent.change(limits={"review": 1, "install": 5})
    agent.snapshot_before_change()
    agent.change(limits={"install": 4})
    agent.take_snapshot(operator="Ada Lovelace", reason="Limited it.")
    agent.take_snapshot(operator="Ada Lovelace", reason="Removed a skill.", is_event=True)
    agent.take_snapshot(operator="<Eve>", reason="Removed a skill.", is_event=True)
    token.take_snapshot(operator="Ada Lovelace", reason="Issued.", kind="+")
    take_action(admin_client, "suspend", agent, reason="It floods.")

    def authors(row):
        text = history(admin_client, row).content.decode()
        return re.findall(r'"staff-note">[^,]*, [\d:]*(?:</a>)?(?:, (.*?))?</span>', text)

    assert authors(agent) == [
        "clerk-0",
        "&lt;Eve&gt;, its operator (not verified)",
        "Ada Lovelace, its operator (not verified)",
        "Ada Lovelace, its operator (not verified)",
        "",
    ]
    assert authors(token) == ["Ada Lovelace, its operator (not verified)"]
    text = history(admin_client, agent).content.decode()
    assert (
        '<span class="del">review: 1, install: 5</span><span class="add">install: 4</span>' in text
    )
