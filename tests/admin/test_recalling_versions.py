"""Staff recall a version of an entry, and lift the recall."""

import pytest

from catalogue.models import Purge
from tests.admin.version_tables import act, page_of
from tests.api.versioned_kinds import ME, Kind
from tests.factories import AgentFactory

REASON = "It deletes logs."


@pytest.fixture(params=["skill", "persona"])
def kind(request, db):
    return Kind(request.param)


@pytest.mark.contract("25.11")
def test_a_recall_takes_every_number_of_the_text(admin_client, kind, anyone):
    act(admin_client, kind, 1, "restore")
    kind.rewrite(5)

    assert act(admin_client, kind, 4, "recall", reason=REASON) == ["Recalled version 4."]

    versions = f"/api/v1/{kind.name}s/{kind.slug}/versions"
    recalls = {
        version["number"]: version["recall"] and version["recall"]["reason"]
        for version in anyone.get(versions).json()["results"]
    }
    assert recalls == {5: None, 4: REASON, 3: None, 2: None, 1: REASON}
    assert [anyone.get(f"{versions}/{number}").status_code for number in (1, 2, 4)] == [
        *(404, 200, 404)
    ]
    assert kind.entry.history.first().history_change_reason == f"Recalled version 4: {REASON}"


@pytest.mark.contract("25.11")
def test_recalling_a_version_needs_a_reason(admin_client, kind):
    page = admin_client.post(page_of(kind, "1/recall/"), {"confirmed": "yes", "reason": " "})

    assert page.context["form"].errors == {"reason": ["This field is required."]}
    assert kind.entry.versions.readable().count() == 3


@pytest.mark.contract("25.11")
def test_the_current_text_is_not_recalled(admin_client, kind):
    act(admin_client, kind, 1, "restore")

    [message] = act(admin_client, kind, 1, "recall", reason=REASON)

    assert message == (
        f"The {kind.name} has this text now. Restore or write another one first, or recall the "
        f"{kind.name} as a whole."
    )
    assert kind.entry.versions.readable().count() == 4


@pytest.mark.contract("25.11")
def test_the_last_text_of_a_withdrawn_entry_can_be_recalled(admin_client, kind):
    kind.entry.withdraw()

    act(admin_client, kind, 3, "recall", reason=REASON)

    assert kind.entry.versions.get(number=3).recall_reason == REASON


@pytest.mark.contract("25.11")
def test_a_recalled_text_comes_back_once_the_recall_is_lifted(admin_client, kind, anyone):
    act(admin_client, kind, 1, "recall", reason=REASON)
    refused = "This text was recalled. Change it, or lift the recall of its version."
    assert act(admin_client, kind, 1, "restore") == [refused]

    assert act(admin_client, kind, 1, "lift_recall") == ["Lifted the recall of version 1."]

    assert anyone.get(f"/api/v1/{kind.name}s/{kind.slug}/versions/1").status_code == 200
    act(admin_client, kind, 1, "restore")
    assert kind.entry.number == 4


@pytest.mark.contract("25.11")
def test_recalling_a_version_again_keeps_the_first_reason(admin_client, kind, anyone):
    act(admin_client, kind, 1, "recall", reason=REASON)

    [message] = act(admin_client, kind, 1, "recall", reason="Another.")

    assert message == "This text is recalled already. To change the reason, lift the recall first."
    versions = anyone.get(f"/api/v1/{kind.name}s/{kind.slug}/versions").json()["results"]
    assert versions[-1]["recall"]["reason"] == REASON
    assert kind.entry.history.first().history_change_reason == f"Recalled version 1: {REASON}"


@pytest.mark.contract("25.11")
def test_only_a_recall_is_lifted(admin_client, kind):
    assert act(admin_client, kind, 1, "lift_recall") == ["This text is not recalled."]
    assert kind.entry.history.filter(history_change_reason__startswith="Lifted").count() == 0


@pytest.mark.contract("25.13")
def test_a_recall_is_not_lifted_from_a_purged_text(admin_client, kind):
    act(admin_client, kind, 1, "recall", reason=REASON)
    Purge.objects.create(kind=kind.name, digest=kind.digest(1), reason=REASON)

    assert act(admin_client, kind, 1, "lift_recall") == ["A purged text cannot come back."]


@pytest.mark.contract("25.12")
def test_an_agent_reads_of_a_recall_what_it_has(admin_client, kind, client, client_of):
    kind.post(client, "install", version=1)
    other = client_of(AgentFactory())
    kind.post(other, "install")

    act(admin_client, kind, 1, "recall", reason=REASON)

    [advisory] = client.get(ME).json()["advisories"]
    at = advisory.pop("withdrawnAt")
    assert advisory == {
        "kind": kind.name,
        "slug": kind.slug,
        "title": "Title 3",
        "number": 1,
        "reason": REASON,
    }
    versions = client.get(f"/api/v1/{kind.name}s/{kind.slug}/versions").json()["results"]
    assert versions[-1]["recall"] == {"reason": REASON, "at": at}
    assert other.get(ME).json()["advisories"] == []
