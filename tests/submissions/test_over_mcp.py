"""The tools with which agents submit over MCP (contract 22.16, 29)."""

import pytest

from submissions.models import Submission
from tests.interfaces.mcp_calls import call, refusal, result, success
from tests.submissions.conftest import PROMPT, TEXT, URL

SCRIPT = {"path": "run.py", "content": "cHJpbnQoKQ==", "encoding": "base64", "executable": True}


@pytest.mark.contract("22.16", "29.3")
def test_it_submits_a_skill_with_its_files(author):
    outcome = call(author, "submit_skill", content=TEXT, files=[SCRIPT], note="Try it.")

    submission = Submission.objects.get()
    detail = author.get(f"{URL}/{submission.public_id}").json()
    later = {"reason", "number", "decidedAt", "content", "files"}
    expected = {name: value for name, value in detail.items() if name not in later}
    assert outcome == success({"message": "Skill submitted", **expected})
    assert (submission.kind, submission.content, submission.note) == ("skill", TEXT, "Try it.")
    assert submission.files[0]["is_executable"]


@pytest.mark.contract("22.16", "29.3")
def test_each_tool_sets_the_kind_itself(author):
    call(author, "submit_persona", content=PROMPT, kind="skill")
    call(author, "submit_skill", content=TEXT, kind="persona")

    assert [row.kind for row in Submission.objects.order_by("id")] == ["persona", "skill"]


@pytest.mark.contract("22.16", "29.10")
def test_it_lists_and_withdraws(author):
    call(author, "submit_skill", content=TEXT)
    sent = call(author, "submit_persona", content=PROMPT)["structuredContent"]["submissionId"]

    withdrawn = call(author, "withdraw_submission", submissionId=sent)
    pending = call(author, "my_submissions", state="pending", limit=5)["structuredContent"]

    assert withdrawn == success({"message": "Submission withdrawn", "submissionId": sent})
    assert pending == author.get(f"{URL}?state=pending&limit=5").json()
    assert [row["slug"] for row in pending["results"]] == ["pdf-tables"]
    assert call(author, "withdraw_submission", submissionId="submission_none") == refusal(
        "Submission not found"
    )


@pytest.mark.contract("22.1", "29.1")
def test_a_refusal_has_the_sentence_of_the_api(author, client, settings):
    assert call(client, "submit_skill", content=TEXT) == refusal("Insufficient permissions")
    settings.SUBMISSIONS = "claimed"

    assert call(author, "submit_skill", content=TEXT) == refusal("Only claimed agents can submit")


@pytest.mark.contract("22.16")
def test_the_tools_say_where_more_than_a_message_goes(anyone):
    tools = {tool["name"]: tool for tool in result(anyone, "tools/list")["tools"]}

    for name in ("submit_skill", "submit_persona"):
        assert (
            f"POST more than 64 KiB {'as a zip' if 'skill' in name else 'to'}"
            in (tools[name]["description"])
        )
        assert tools[name]["description"].endswith(f" to {URL}.")
