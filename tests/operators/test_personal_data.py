"""Exporting and erasing what is stored about an operator (contract 7.12, 7.13)"""

import json
import re
from io import StringIO

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command

from agents.models import Agent, AgentToken, ClaimCode, OperatorClaim, OperatorKey
from operators.models import OperatorSession
from reviews.models import Review
from tests.admin.actions import take_action
from tests.api.concurrency import during
from tests.factories import AgentFactory, PersonaFactory, ask_for_code, claim, review
from tests.operators.conftest import OperatorBrowser
from tests.snapshots import snapshot

ADA = "ada@example.com"
MODELS = [Agent, AgentToken, ClaimCode, OperatorClaim, OperatorKey, OperatorSession, Review]
MODELS += [Agent.history.model, AgentToken.history.model, Review.history.model, LogEntry]


def run(capsys, command, *arguments):
    call_command(command, *arguments)
    return capsys.readouterr().out


def everything():
    return snapshot(*MODELS)


@pytest.fixture
def ada(agent, console):
    """The operator of `agent`, who has written in each place that names an operator."""
    console.submit("/operator/agents/caller/issue-token", name="laptop")
    review(agent, PersonaFactory(slug="archivist"), 4, "Thanks, says Ada Lovelace.")
    Review.objects.get().take_snapshot(reason="Looked at it.")
    ask_for_code(AgentFactory(handle="pending"), email="Ada@Example.com")
    claim(AgentFactory(handle="other"), name="Ada Lovelace", email="another@example.com")
    console.submit("/operator/agents/caller/pause")
    claim_of(agent).key.verify()
    return agent


def claim_of(agent):
    return OperatorClaim.objects.get(agent=agent)


@pytest.mark.contract("7.12")
def test_the_export_has_all_that_is_stored_about_one_person(ada, key, capsys):
    OperatorBrowser().log_in(key)

    exported = json.loads(run(capsys, "export_person", ADA))

    [own, pending] = exported["claims"]
    assert own == {"handle": "caller", "status": "claimed", "name": "Ada Lovelace", "email": ADA}
    assert (pending["handle"], pending["status"]) == ("pending", "pending")
    [code] = exported["codes"]
    assert (code["handle"], code["email"]) == ("pending", "Ada@Example.com")
    [stored] = exported["keys"]
    assert (stored["hint"], len(stored["sessions"])) == (claim_of(ada).key.hint, 2)
    assert {row["name"] for row in exported["histories"]} == {"Ada Lovelace"}
    assert "Paused." in [row["text"] for row in exported["histories"]]
    [agent] = exported["agents"]
    assert agent["handle"] == "caller"
    assert agent["reviews"][0]["comment"] == "Thanks, says Ada Lovelace."
    events = {(event["action"], event["object"]["name"]) for event in exported["events"]}
    assert events == {
        *(("request_code", "pending"), ("log_in", stored["hint"])),
        *(("issue_token", "caller"), ("pause", "caller")),
    }
    assert {event["address"] for event in exported["events"]} == {"127.0.0.1", None}
    assert key not in json.dumps(exported)


@pytest.mark.contract("7.13")
def test_what_goes_and_what_stays_is_shown_first(ada, capsys, settings):
    before, settings.AUDIT_DAYS = everything(), 90

    shown = run(capsys, "erase_person", ADA, "--review-texts")

    assert everything() == before
    assert shown.splitlines()[-1] == "Nothing has changed. To change this, add --yes."
    assert "- 1 claims, with a pseudonym" in shown
    assert "- 1 reviews, without their texts" in shown
    assert "The agents: caller" in shown
    assert shown.split("What stays:\n")[1].splitlines()[:-1] == [
        "- The ratings, installs, reports, submissions and published texts of the agents.",
        "- The agents' names and descriptions. To erase these, delete the agents in the admin.",
        "- The operator's key, which still opens the console. To end that, revoke it in the admin.",
        "- Notes, reasons and reports, which may name the person as free text.",
        (
            "- The audit trail, with names and client addresses, for 90 days (AUDIT_DAYS). Nobody "
            "can change it."
        ),
        "- The log, which has client addresses if ACCESS_LOG is set, until you delete it.",
        "- Backups that are older, until you delete them.",
    ]
    settings.AUDIT_DAYS = 0
    shown = run(capsys, "erase_person", ADA)
    assert "agents. Texts of reviews, too: --review-texts erases them.\n" in shown
    assert "addresses, for good (AUDIT_DAYS=0). Nobody" in shown


@pytest.mark.contract("7.13")
def test_the_claims_survive_with_a_pseudonym(ada, client, console, capsys):
    told = run(capsys, "erase_person", ADA.upper(), "--yes")

    assert "What stays:" in told
    assert "add --yes" not in told
    profile = client_after_resume(console, client)["claim"]
    assert profile["status"] == "claimed"
    assert re.fullmatch("former operator [0-9a-z]{8}", profile["operator"]["name"])
    page = console.get("/operator/agents/caller").content.decode()
    assert "Ada Lovelace" not in page.replace("Thanks, says Ada Lovelace.", "")
    assert "Paused." in page  # still one of the operator's own actions
    assert texts_with("Ada", but="another@example.com") == []
    assert claim_of(ada).key.verified_at is None
    pending = OperatorClaim.objects.get(agent__handle="pending")
    assert (pending.status, pending.operator_name) == ("unclaimed", "")
    assert not ClaimCode.objects.exists()
    assert Review.objects.get().comment == "Thanks, says Ada Lovelace."
    with pytest.raises(CommandError, match=f"No claim has the address {ADA}"):
        call_command("export_person", ADA)


@pytest.mark.contract("7.13")
def test_the_command_finds_the_person_again_and_says_who_else_is_named(ada, capsys):
    ada.resume()
    claim(ada, name="Grace", email="grace@example.com")

    first = run(capsys, "erase_person", "grace@example.com", "--yes")
    [address] = re.findall(r"The pseudonym: former operator \w{8}, (\w{8}@erased\.invalid)", first)
    assert "Their histories also name: Ada Lovelace. If" in first
    again = run(
        capsys, "erase_person", address, "--review-texts", "--name", "Ada Lovelace", "--yes"
    )

    assert "1 reviews, without their texts" in again
    assert "also name" not in again
    assert Review.objects.get().comment == ""


@pytest.mark.contract("7.13")
@pytest.mark.django_db(transaction=True)
def test_an_action_of_that_moment_leaves_no_name(agent):
    claim(agent, email=ADA)

    def act():
        agent.lock()
        agent.take_snapshot(operator="Ada Lovelace", reason="Paused.", is_event=True)

    during(act, lambda: call_command("erase_person", ADA, "--yes", stdout=StringIO()))

    assert texts_with("Ada Lovelace", but="") == []


def client_after_resume(console, client):
    console.submit("/operator/agents/caller/resume")
    return client.get("/api/v1/agents/me").json()


def texts_with(name, but):
    """The texts with a name, but those of the agent with another address, and of reviews."""
    others = Agent.objects.filter(claim__operator_email=but).values_list("pk", flat=True)
    tables = [
        OperatorClaim.objects.exclude(operator_email=but),
        Agent.history.exclude(id__in=others),
        AgentToken.history.exclude(agent__in=others),
        ClaimCode.objects.all(),
        LogEntry.objects.all(),
    ]
    values = [str(value) for rows in tables for row in rows.values() for value in row.values()]
    # As a word: three letters come up by chance in a digest.
    return [value for value in values if re.search(rf"\b{name}\b", value, re.IGNORECASE)]


@pytest.mark.contract("7.13")
def test_the_texts_of_reviews_go_on_request_and_the_ratings_stay(ada, anyone, capsys):
    run(capsys, "erase_person", ADA, "--review-texts", "--yes")

    [row] = anyone.get("/api/v1/personas/archivist/reviews").json()["results"]
    assert (row["rating"], row["comment"]) == (4, "")
    assert anyone.get("/api/v1/personas/archivist").json()["ratingCount"] == 1
    assert [row.comment for row in Review.history.all()] == [""]


@pytest.mark.contract("7.13")
def test_a_name_of_a_released_claim_goes_from_the_histories(ada, admin_client, capsys):
    take_action(admin_client, "release_claim", ada)
    ada.claim.refresh_from_db()
    claim(ada, name="Grace", email="grace@example.com")
    third = AgentFactory(handle="third")
    for name in ("Ada Lovelace", "Ada Lovelace, Inc", "Grace"):
        claim(third, name=name, email="grace@example.com")
    assert len(texts_with("Ada Lovelace", "another@example.com")) > 3
    OperatorClaim.objects.filter(agent__handle="pending").update(operator_name="")
    ClaimCode.objects.all().delete()

    exported = json.loads(run(capsys, "export_person", "no@example.com", "--name", "Ada Lovelace"))
    run(capsys, "erase_person", "no@example.com", "--name", "Ada Lovelace", "--yes")

    assert [row["text"] for row in exported["log"]] == ["Released the claim of Ada Lovelace."]
    texts = texts_with("Ada Lovelace", "another@example.com")
    assert [text for text in texts if "Ada Lovelace, Inc" not in text] == []
    reasons = Agent.history.values_list("history_change_reason", flat=True)
    assert [text for text in reasons if text.startswith("Claimed the agent from former operator")]
    assert [text for text in reasons if "the agent from Ada Lovelace, Inc, with" in text]
    assert claim_of(ada).operator_name == "Grace"
    other = OperatorClaim.objects.get(agent__handle="other")
    assert (other.operator_name, other.operator_email) == ("Ada Lovelace", "another@example.com")


@pytest.mark.parametrize("command", ["export_person", "erase_person"])
def test_an_unknown_address_says_what_to_do(db, command):
    with pytest.raises(CommandError, match=r"No claim has the address no@example\.com\. .* --name"):
        call_command(command, "no@example.com")
