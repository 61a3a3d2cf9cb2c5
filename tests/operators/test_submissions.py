"""What an operator sees of its agents' submissions, and withdrawing them (contract 19.5, 29.17)."""

import pytest

from agents.models import AgentToken
from submissions.models import Submission
from tests.factories import ask_for_code
from tests.operators.pages import told
from tests.operators.test_console import text_of
from tests.registry import send_submission
from tests.submissions.conftest import SKILL, URL

HOME = "/operator/agents/caller"
WITHDRAW = f"{HOME}/withdraw-submission/submission_sent"
FINDING = {"code": "script", "path": "run.py", "line": None, "text": "new"}
SECRET = {"code": "secret", "path": "SKILL.md", "line": 7, "text": "AWS key AKIA…"}


@pytest.mark.contract("29.17")
def test_it_shows_state_findings_and_reason(console, agent):
    send_submission(agent, findings=[FINDING, SECRET])
    rejected = send_submission(agent, "submission_other", kind="persona", slug="scribe")
    rejected.reject("It reads <b>no</b> tables.")

    page = console.get(HOME)

    day = f"{rejected.created_at.day} {rejected.created_at:%b %Y}"
    assert (
        "Submissions persona scribe rejected Reason: It reads <b>no</b> tables. "
        f"submitted {day} "
        "skill sent pending Findings: script in run.py (new), secret in SKILL.md:7 (AWS key AKIA…) "
        f"submitted {day} Withdraw sent"
    ) in text_of(page).replace("&lt;", "<").replace("&gt;", ">")
    assert "<b>no</b>" not in page.content.decode()
    assert page.content.decode().count("/withdraw-submission/") == 1


@pytest.mark.contract("29.17")
def test_withdrawing_deletes_the_bytes(console, client, agent):
    send_submission(agent)

    assert console.submit(WITHDRAW).status_code == 302

    detail = client.get(f"{URL}/submission_sent").json()
    assert (detail["state"], detail["content"], detail["files"]) == ("withdrawn", None, [])


@pytest.mark.contract("29.17")
def test_what_is_decided_stays(console, agent):
    submission = send_submission(agent)
    submission.reject("No.")

    page = console.submit(WITHDRAW)

    assert page.status_code == 400
    text = "Staff have decided this, or a newer submission has replaced it."
    assert text in page.content.decode()
    assert told(console.get(HOME)) == []
    assert Submission.objects.get().state == "rejected"


@pytest.mark.contract("29.1")
def test_without_submissions_nothing_speaks_of_them(console, agent, settings):
    send_submission(agent)
    settings.SUBMISSIONS = "off"

    pages = [console.get(path) for path in (HOME, f"{HOME}/limits", f"{HOME}/issue-token")]

    assert [page.status_code for page in pages] == [200] * 3
    for page in pages:
        assert "ubmi" not in text_of(page)
    assert console.get(WITHDRAW).status_code == 404


@pytest.mark.contract("19.6", "29.17")
def test_submissions_may_be_limited(console, client_of, agent):
    assert console.submit(f"{HOME}/limits", submit="1").status_code == 302
    author = client_of(token=AgentToken.objects.issue(agent, ["submit"]).text)

    first, second = author.post(URL, SKILL), author.post(URL, SKILL)

    assert (first.status_code, second.status_code) == (201, 429)
    assert first["RateLimit-Policy"] == '"submit";q=1;w=86400'


@pytest.mark.contract("29.2")
def test_a_claim_never_holds_the_scope(agent, client_of):
    every = AgentToken.objects.issue(agent, ["read", "install", "review", "clone", "submit"])

    response = client_of(token=every.text).post(
        "/api/v1/agents/me/confirm-claim", {"code": ask_for_code(agent)}
    )

    assert response.status_code == 200
    agent.claim.refresh_from_db()
    assert agent.claim.scopes == ["read", "install", "review"]
    assert agent.claim.is_full
