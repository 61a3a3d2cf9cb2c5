"""Reading and withdrawing one's own submissions (contract 29)."""

import pytest

from marketplace.api.fields import timestamp
from submissions.models import Submission
from tests.factories import AgentFactory
from tests.submissions.conftest import PERSONA, SKILL, TEXT, URL

FILES = [{"path": "scripts/run.py", "content": "print()\n", "executable": True}]


@pytest.fixture
def sent(author):
    """The identifier of a pending submission with a file."""
    return author.post(URL, SKILL | {"files": FILES, "note": "Try it."}).json()["submissionId"]


@pytest.mark.contract("29.10")
def test_an_agent_reads_its_submission(client, sent):
    response = client.get(f"{URL}/{sent}")

    submission = Submission.objects.get()
    [file] = submission.files
    assert response.status_code == 200
    assert response.json() == {
        "submissionId": sent,
        "kind": "skill",
        "slug": "pdf-tables",
        "state": "pending",
        "digest": submission.digest,
        "bytesDigest": submission.bytes_digest,
        "base": None,
        "findings": submission.findings,
        "note": "Try it.",
        "createdAt": timestamp(submission.created_at),
        "reason": None,
        "number": None,
        "decidedAt": None,
        "content": TEXT,
        "files": [{"path": "scripts/run.py", "size": 8, "digest": file["digest"]}],
    }


@pytest.mark.contract("29.10")
def test_a_list_has_what_matches(client, author, sent):
    persona = author.post(URL, PERSONA).json()["submissionId"]
    author.delete(f"{URL}/{persona}")

    def ids(query=""):
        return [row["submissionId"] for row in client.get(URL + query).json()["results"]]

    assert ids() == [persona, sent]
    assert ids("?kind=skill") == ids("?state=pending") == [sent]
    assert ids("?kind=persona&state=withdrawn") == [persona]
    assert client.get(f"{URL}?state=lost").json() == {
        "error": "state must be one of pending, published, rejected, withdrawn, replaced"
    }
    [row] = client.get(f"{URL}?kind=skill").json()["results"]
    detail = client.get(f"{URL}/{sent}").json()
    assert row == {name: detail[name] for name in detail if name not in {"content", "files"}}


@pytest.mark.contract("29.10")
def test_withdrawing_deletes_the_bytes(author, client, sent):
    answers = [author.delete(f"{URL}/{sent}") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert (
        answers[0].json()
        == answers[1].json()
        == {
            "message": "Submission withdrawn",
            "submissionId": sent,
        }
    )
    detail = client.get(f"{URL}/{sent}").json()
    assert (detail["state"], detail["content"], detail["files"]) == ("withdrawn", None, [])
    assert Submission.objects.get().archive is None


@pytest.mark.contract("29.10")
def test_what_is_decided_stays(author, sent, approve):
    approve()

    response = author.delete(f"{URL}/{sent}")

    assert (response.status_code, response.json()) == (
        409,
        {"error": "Submission is already decided"},
    )


@pytest.mark.contract("29.10")
@pytest.mark.parametrize("method", ["get", "delete"])
def test_submissions_of_others_do_not_exist(author_of, sent, method):
    other = author_of(AgentFactory())

    for public_id in (sent, "submission_none", "%00"):
        response = getattr(other, method)(f"{URL}/{public_id}")
        assert (response.status_code, response.json()) == (404, {"error": "Submission not found"})


@pytest.mark.contract("29.10")
def test_a_rejection_tells_its_reason(author, sent, editor):
    Submission.objects.get().reject("It reads no tables.", editor)

    body = author.get(f"{URL}/{sent}").json()

    decided = Submission.objects.get()
    assert (body["state"], body["reason"], body["number"]) == (
        "rejected",
        "It reads no tables.",
        None,
    )
    assert body["decidedAt"] == timestamp(decided.decided_at)
    assert body["content"] == TEXT
