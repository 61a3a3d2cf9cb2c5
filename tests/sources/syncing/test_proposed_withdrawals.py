"""Where staff review, a file that is gone is a proposal"""

import pytest

from catalogue.models import Skill
from sources.models import SourceFile
from submissions.models import Submission
from tests.api.concurrency import during
from tests.sources.syncing.conftest import pending, statuses


@pytest.mark.contract("30.9")
def test_where_staff_review_a_withdrawal_is_proposed(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.remove("pdf")

    source = proposing.sync()

    assert source.counts == {"proposed": 1, "findings": 0}
    assert statuses() == {"pdf": "published"}
    approve()
    assert statuses() == {"pdf": "withdrawn"}
    assert Submission.objects.latest("pk").state == "published"
    assert proposing.sync().counts == {"findings": 0}


@pytest.mark.contract("30.9")
def test_a_proposed_withdrawal_is_taken_back_when_the_file_comes_back(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.remove("pdf")
    proposing.sync()
    proposing.skill("pdf")

    proposing.sync()

    assert Submission.objects.latest("pk").state == "withdrawn"
    assert statuses() == {"pdf": "published"}


@pytest.mark.contract("30.9")
def test_a_file_that_comes_back_after_its_withdrawal_was_approved(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.remove("pdf")
    proposing.sync()
    approve()
    proposing.skill("pdf")

    proposing.sync()

    assert pending() == {"pdf": "pdf/SKILL.md"}
    approve(ends_recall=True)
    assert statuses() == {"pdf": "published"}


@pytest.mark.contract("30.9")
def test_what_was_only_proposed_is_taken_back(proposing):
    proposing.skill("pdf")
    proposing.sync()
    proposing.remove("pdf")

    source = proposing.sync()

    assert Submission.objects.get().state == "withdrawn"
    assert (source.state, source.counts) == ("ok", {"findings": 0})


@pytest.mark.contract("30.9")
def test_a_file_that_is_gone_is_remembered_for_its_entry_alone(proposing, approve):
    for name in ("csv", "pdf", "xml"):
        proposing.skill(name)
    proposing.sync()
    approve(Submission.objects.get(slug="csv"))
    approve(Submission.objects.get(slug="xml"))
    Skill.objects.filter(slug="xml").update(
        source="submission:@ada", former_source="git:team:xml/SKILL.md"
    )
    for name in ("csv", "pdf", "xml"):
        proposing.remove(name)

    proposing.sync()
    proposing.sync()

    paths = SourceFile.objects.values_list("path", flat=True)
    assert list(paths) == ["csv/SKILL.md", "xml/SKILL.md"]
    proposing.skill("skills/xml")
    assert proposing.sync().findings == [["skills/xml/SKILL.md", "maintained by @ada"]]


@pytest.mark.contract("30.9")
def test_a_proposed_withdrawal_is_taken_back_if_the_entry_is_not_its_own_any_longer(
    proposing, approve
):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.remove("pdf")
    proposing.sync()
    Skill.objects.update(source="elsewhere")
    proposing.sync()

    source = proposing.sync()

    assert (source.state, pending()) == ("ok", {})
    assert not SourceFile.objects.exists()


@pytest.mark.contract("30.6")
def test_what_staff_reject_meanwhile_is_not_taken_back(transactional_db, proposing):
    proposing.skill("pdf")
    proposing.sync()
    proposing.remove("pdf")

    [source] = during(lambda: Submission.objects.get().reject("No."), proposing.sync)

    assert (source.state, Submission.objects.get().state) == ("ok", "rejected")
