"""Sources whose changes staff review on the desk (contract 30)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from catalogue.frontmatter import Refused
from catalogue.models import Persona, Skill
from sources import desk
from sources.models import Source, SourceFile
from submissions.models import Submission, SubmittedVersion
from tests.factories import SkillFactory
from tests.imports import markdown, write
from tests.sources.syncing.conftest import ABOUT, SyncedFolder, pending, published


@pytest.mark.contract("30.6")
def test_a_new_text_waits_on_the_desk(proposing, approve):
    proposing.skill("pdf", run_py="print()")

    source = proposing.sync()

    submission = Submission.objects.get()
    assert (submission.author, submission.commit) == ("git:team", f"{1:040x}")
    assert source.counts == {"proposed": 1, "findings": 0}
    assert published() == {}
    approve()
    assert published() == {"pdf": "git:team:pdf/SKILL.md"}
    version = SubmittedVersion.objects.get()
    assert (version.submitted_by, version.commit) == ("git:team", f"{1:040x}")
    assert version.published_by == "editor"


@pytest.mark.contract("30.6")
def test_each_submission_has_the_findings_and_notes_of_its_own_files(proposing):
    proposing.skill("a", run_py="print()")
    markdown(proposing.folder / "b/SKILL.md", ["name: b", *ABOUT, "priceCents: -1"], "Do it.")
    proposing.skill("c")

    source = proposing.sync()

    rows = Submission.objects.values_list("slug", "findings")
    paths = {slug: [finding["path"] for finding in findings] for slug, findings in rows}
    assert paths == {"a": ["run.py"], "b": [], "c": []}
    assert source.findings == [["b/SKILL.md", "strict validators refuse: priceCents"]]


@pytest.mark.contract("30.6")
def test_the_same_bytes_come_once(proposing):
    proposing.skill("pdf")
    proposing.sync()
    Submission.objects.get().reject("No.")
    assert proposing.sync().counts == {"unchanged": 1, "findings": 0}

    proposing.skill("pdf", "Do it well.")
    proposing.sync()
    proposing.skill("pdf")
    proposing.sync()

    states = Submission.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["rejected", "replaced", "pending"]


@pytest.mark.contract("30.6")
def test_a_published_text_is_not_proposed_again(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()

    assert proposing.sync().counts == {"unchanged": 1, "findings": 0}


@pytest.mark.contract("30.6")
def test_a_text_that_is_as_published_again_leaves_the_desk(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.skill("pdf", "Do it badly.")
    proposing.sync()
    proposing.skill("pdf")

    proposing.sync()

    assert pending() == {}


@pytest.mark.contract("30.6")
def test_twenty_come_with_each_run(proposing):
    for number in range(22):
        proposing.skill(f"skill-{number:02}")

    counts = [proposing.sync().counts for _ in range(2)]

    assert [(row["proposed"], row.get("later", 0)) for row in counts] == [(20, 2), (2, 0)]
    assert len(pending()) == 22


@pytest.mark.contract("30.6")
def test_a_persona_is_proposed(proposing, approve):
    proposing.persona("agents/archivist.md", "You keep papers.", "priceCents: 300")

    proposing.sync(kind="both")
    approve()

    assert Persona.objects.get().price_cents == 300
    assert published(Persona) == {"archivist": "git:team:agents/archivist.md"}


@pytest.mark.contract("30.4")
def test_two_sources_with_one_slug(proposing, tmp_path_factory, approve):
    other = SyncedFolder(tmp_path_factory.mktemp("other"), name="office", review="here")
    for repository in (proposing, other):
        repository.skill("pdf", f"Do it for {repository.source.name}.")
        repository.sync()

    assert pending() == {"pdf": "pdf/SKILL.md", "pdf-office": "pdf/SKILL.md"}
    for submission in Submission.objects.all():
        approve(submission)
    assert published() == {"pdf": "git:team:pdf/SKILL.md", "pdf-office": "git:office:pdf/SKILL.md"}


@pytest.mark.contract("30.4")
def test_a_slug_that_was_taken_since_is_proposed_under_another(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    SkillFactory(slug="pdf", source="elsewhere")
    with pytest.raises(Refused, match="The slug pdf was taken"):
        approve()

    proposing.sync()

    assert pending() == {"pdf-team": "pdf/SKILL.md"}
    approve()
    assert published() == {"pdf": "elsewhere", "pdf-team": "git:team:pdf/SKILL.md"}


@pytest.mark.contract("30.4")
def test_an_entry_with_another_slug_by_now_gets_the_change(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.skill("pdf", "Do it well.")
    proposing.sync()
    Skill.objects.update(slug="pdf-tables")

    approve()

    assert Skill.objects.get().number == 2
    assert published() == {"pdf-tables": "git:team:pdf/SKILL.md"}


@pytest.mark.contract("30.4")
def test_a_source_that_was_renamed_gets_the_entry(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    Source.objects.get().change(name="office")

    approve()

    assert published() == {"pdf": "git:office:pdf/SKILL.md"}


@pytest.mark.contract("30.4")
def test_an_entry_of_somebody_else_stays_theirs_even_with_the_same_text(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    text = (proposing.folder / "pdf/SKILL.md").read_text()
    SkillFactory(slug="pdf", source="elsewhere", content=text, title="Pdf", license="MIT")

    with pytest.raises(Refused, match="The slug pdf was taken"):
        approve()

    assert published() == {"pdf": "elsewhere"}


def wait(repository):
    """A text waits for a day from now on, as a run notices."""
    repository.source.wait_hours = 24
    repository.source.save()


def later(repository):
    """Another file comes before it in the next run."""
    repository.skill("csv")


def spoil(repository):
    write(repository.folder / "pdf/CON", b"1")


@pytest.mark.contract("30.6")
@pytest.mark.parametrize(
    ("change", "count"), [(wait, "waiting"), (later, "later"), (spoil, "findings")]
)
def test_a_text_that_its_file_has_lost_leaves_the_desk(proposing, monkeypatch, change, count):
    monkeypatch.setattr(desk, "MAX_PROPOSALS", 1)
    proposing.skill("pdf")
    proposing.sync()
    change(proposing)
    proposing.skill("pdf", "Do it badly.")

    assert proposing.sync().counts[count] == 1
    assert Submission.objects.earliest("pk").state == "withdrawn"

    proposing.remove("pdf")
    proposing.skill("pdf")
    proposing.sync(wait_hours=0)
    assert pending()["pdf"] == "pdf/SKILL.md"


@pytest.mark.contract("30.6", "30.9")
def test_an_entry_goes_even_if_its_last_text_left_the_desk(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    wait(proposing)
    SourceFile.objects.update(seen_at=timezone.now() - timedelta(hours=24))
    proposing.skill("pdf", "Do it badly.")
    proposing.sync()
    proposing.remove("pdf")

    assert proposing.sync().counts == {"proposed": 1, "findings": 0}
    assert Submission.objects.pending().get().withdraws
    proposing.skill("pdf")
    assert proposing.sync().counts == {"waiting": 1, "findings": 0}
    assert pending() == {}


@pytest.mark.contract("30.6")
def test_a_text_that_staff_have_published_themselves_leaves_the_desk(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    first = Skill.objects.get().content
    proposing.skill("pdf", "Do it well.")
    proposing.sync()
    Skill.objects.update(content=(proposing.folder / "pdf/SKILL.md").read_text())

    assert proposing.sync().counts == {"unchanged": 1, "findings": 0}

    assert pending() == {}
    skill = Skill.objects.get()
    skill.content = first
    skill.save()
    assert proposing.sync().counts == {"unchanged": 1, "findings": 0}


@pytest.mark.contract("30.6")
def test_a_proposal_outlives_another_edit_of_staff(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.skill("pdf", "Do it well.")
    proposing.sync()
    skill = Skill.objects.get()
    skill.content += "\nMore.\n"
    skill.save()

    counts = [proposing.sync().counts for _ in range(2)]

    assert counts == [{"unchanged": 1, "findings": 0}] * 2
    assert (Submission.objects.count(), pending()) == (2, {"pdf": "pdf/SKILL.md"})


@pytest.mark.contract("30.4", "30.6")
def test_a_proposal_leaves_the_desk_once_an_agent_maintains_the_entry(proposing, approve):
    proposing.skill("pdf")
    proposing.sync()
    approve()
    proposing.skill("pdf", "Do it well.")
    proposing.sync()
    Skill.objects.update(source="submission:@ada", former_source="git:team:pdf/SKILL.md")

    counts = [proposing.sync().counts for _ in range(2)]

    assert counts == [{"refused": 1, "findings": 1}] * 2
    assert pending() == {}


@pytest.mark.contract("30.6")
def test_what_is_gone_is_taken_back_even_if_its_slug_is_taken(proposing):
    proposing.skill("pdf")
    proposing.sync()
    SkillFactory(slug="pdf", source="elsewhere")
    proposing.remove("pdf")

    proposing.sync()

    assert pending() == {}
