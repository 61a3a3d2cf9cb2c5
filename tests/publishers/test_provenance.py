"""The run of CI that sent a text, as staff and readers see it (contract 31.13)."""

import pytest
from django.db import DatabaseError, transaction

from catalogue.models import Skill
from submissions.models import Submission, SubmittedVersion
from tests.submissions.conftest import SKILL, changed
from tests.submissions.conftest import URL as SUBMISSIONS

COMMIT = "9b2f0c1d4e5a6b7c8d9e0f1a2b3c4d5e6f708192"


@pytest.fixture
def run_of(issuer, publisher, exchange, client_of):
    """A client with the token of a run."""
    return lambda **claims: client_of(token=exchange(issuer.token(**claims)).json()["token"])


def words_of(issuer):
    return f"run 15873202911, acme/skills, refs/heads/main, commit {COMMIT}, {issuer.url}"


@pytest.mark.contract("31.13")
def test_a_submission_has_the_provenance_of_its_token(run_of, issuer, client):
    provenance = {
        "issuer": issuer.url,
        "project": "acme/skills",
        "ref": "refs/heads/main",
        "commit": COMMIT,
        "run": "15873202911",
    }

    sent = run_of().post(SUBMISSIONS, SKILL).json()

    assert sent["provenance"] == provenance
    [row] = client.get(SUBMISSIONS).json()["results"]
    detail = client.get(f"{SUBMISSIONS}/{sent['submissionId']}").json()
    assert row["provenance"] == detail["provenance"] == provenance


@pytest.mark.contract("31.13")
def test_other_submissions_have_none(client_of, agent, run_of):
    by_hand = client_of(token=agent.tokens.issue(agent, ["submit"]).text)

    assert "provenance" not in by_hand.post(SUBMISSIONS, SKILL).json()
    run_of().post(SUBMISSIONS, SKILL)
    assert Submission.objects.get().provenance["run"] == "15873202911"
    by_hand.post(SUBMISSIONS, SKILL | {"note": "Again."})
    assert Submission.objects.get().provenance["run"] == "15873202911"
    by_hand.post(SUBMISSIONS, changed(SKILL))
    assert Submission.objects.pending().get().provenance is None


@pytest.mark.contract("31.13")
def test_the_desk_and_the_pages_of_the_version_show_it(
    run_of,
    issuer,
    anyone,
    desk,
    approve,
    admin_client,
):
    run_of().post(SUBMISSIONS, SKILL)
    assert words_of(issuer) in desk.page(Submission.objects.get()).content.decode()

    skill = approve()

    assert words_of(issuer) in anyone.get("/skills/pdf-tables/versions/1").content.decode()
    versions = f"/admin/catalogue/skill/{skill.pk}/versions/"
    for page in (versions, f"{versions}1/"):
        assert f"sent from {words_of(issuer)}" in admin_client.get(page).content.decode()


@pytest.mark.contract("31.13")
def test_texts_of_the_issuer_are_escaped_and_hide_nothing(run_of, anyone, desk, approve):
    name = f"<b>\u202eacme\u200b mkt_agent_\u200b{'a' * 32}"
    claims = {"repository": name, "run_id": "9" * 300, "sha": ["x"]}
    run_of(**claims).post(SUBMISSIONS, SKILL)
    page = desk.page(Submission.objects.get()).content.decode()
    approve()

    for text in (page, anyone.get("/skills/pdf-tables/versions/1").content.decode()):
        assert f"run {'9' * 255}, &lt;b&gt;acme mkt[masked], refs/heads/main, http" in text


@pytest.mark.contract("31.13", "29.12")
def test_the_row_beside_the_version_never_changes(run_of, approve):
    run_of().post(SUBMISSIONS, SKILL)
    approve()
    Submission.objects.update(provenance=None)

    assert Skill.objects.get().versions.get().submitted.provenance["commit"] == COMMIT
    with pytest.raises(DatabaseError), transaction.atomic():
        SubmittedVersion.objects.update(provenance=None)
