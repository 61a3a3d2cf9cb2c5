"""What publishing a submission does, and when it does nothing (contract 29)."""

import pytest
from django.db import IntegrityError, connection, transaction

from catalogue.frontmatter import Refused
from catalogue.models import Persona, Purge, Skill
from importing.base import taking_turns
from importing.importers import SkillImporter
from importing.reports import ImportReport
from submissions.exceptions import AlreadyDecided, UnusableText
from submissions.models import Maintainer, Submission, SubmittedVersion
from submissions.proposals import Proposal, written
from submissions.publishing import preview
from tests.factories import PersonaFactory, SkillFactory
from tests.submissions.conftest import PERSONA, SKILL, TEXT, URL, changed

NOTHING = {"error": "Nothing has changed"}
SCRIPT = {"path": "scripts/run.py", "content": "print()\n", "executable": True}


@pytest.mark.contract("29.12")
def test_the_very_bytes_are_published(author, agent, client, submitted, editor):
    skill = submitted(SKILL | {"files": [SCRIPT]})

    submission = Submission.objects.get()
    assert (submission.state, submission.number) == ("published", 1)
    assert submission.decided_by == editor
    assert (skill.content, skill.status, skill.digest) == (TEXT, "published", submission.digest)
    assert client.get("/api/v1/skills/pdf-tables/SKILL.md").content == TEXT.encode()
    file = client.get("/api/v1/skills/pdf-tables/files/scripts/run.py")
    assert file.content == b"print()\n"
    assert str(Maintainer.objects.get()) == "@caller of pdf-tables"
    version = SubmittedVersion.objects.get()
    assert (version.version, version.submission) == (skill.versions.get(), submission)
    assert (version.submitted_by, version.published_by) == ("@caller", "editor")


@pytest.mark.contract("29.12")
def test_a_persona_is_published_with_its_skills(author, submitted):
    SkillFactory(slug="pdf-tables")
    text = PERSONA["content"].replace("license: MIT", "license: MIT\nskills: [pdf-tables]")

    persona = submitted(PERSONA | {"content": text})

    assert persona.status == "published"
    assert [skill.slug for skill in persona.skills.all()] == ["pdf-tables"]
    assert Persona.objects.get().number == 1


@pytest.mark.contract("29.6")
def test_an_authors_file_keeps_what_staff_have_set_beside_it(author, submitted):
    skill = submitted()
    skill.tags, skill.category, skill.license = ["pdf", "tables"], "data", "Apache-2.0"
    skill.save()
    assert author.post(URL, SKILL | {"baseNumber": 1}).json() == NOTHING
    text = changed(SKILL)["content"].replace("license: MIT", "license: CC0-1.0\ncategory: office")

    skill = submitted(SKILL | {"content": text, "baseNumber": 1})

    skill.refresh_from_db()
    assert (skill.number, skill.content) == (2, text)
    assert (skill.tags, skill.category, skill.license) == (["pdf", "tables"], "office", "CC0-1.0")


@pytest.mark.contract("29.6")
def test_an_authors_persona_keeps_the_bundle_and_the_price_of_staff(author, submitted):
    skills = [SkillFactory(slug="pdf-tables"), SkillFactory(slug="old", status="withdrawn")]
    PersonaFactory(slug="archivist", content="You keep papers.", price_cents=500, skills=skills)

    persona = submitted(changed(PERSONA) | {"baseNumber": 1})

    persona.refresh_from_db()
    assert persona.price_cents == 500
    assert {*persona.skills.all()} == {*skills}
    without = PERSONA["content"].replace("license: MIT", "license: MIT\nskills: [pdf-tables]")
    persona = submitted(PERSONA | {"content": without, "baseNumber": 2})
    assert [skill.slug for skill in persona.skills.all()] == ["pdf-tables"]


@pytest.mark.contract("29.12")
def test_a_proposal_makes_nobody_a_maintainer(author, submitted):
    SkillFactory(slug="pdf-tables", content=TEXT)

    skill = submitted(changed(SKILL))

    assert skill.number == 2
    assert not Maintainer.objects.exists()
    assert SubmittedVersion.objects.get().skill_version.number == 2


@pytest.mark.contract("29.11")
def test_a_page_that_is_out_of_date_publishes_nothing(author, approve):
    author.post(URL, SKILL)
    old = Submission.objects.get()
    author.post(URL, changed(SKILL))
    with pytest.raises(AlreadyDecided):
        approve(old)

    new = Submission.objects.pending().get()
    Submission.objects.filter(pk=new.pk).update(bytes_digest="sha256:other")
    with pytest.raises(Refused, match="has changed since you opened the page"):
        approve(new)
    assert not Skill.objects.exists()


@pytest.mark.contract("29.11")
def test_one_of_two_people_decides(author, approve):
    author.post(URL, SKILL)
    first, second = Submission.objects.get(), Submission.objects.get()
    approve(first)

    with pytest.raises(AlreadyDecided):
        approve(second)
    with pytest.raises(AlreadyDecided):
        second.reject("No.")
    assert Skill.objects.get().number == 1


@pytest.mark.contract("29.11")
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("draft", "A draft of staff has the slug pdf-tables."),
        ("withdrawn", "The skill is withdrawn."),
        ("published", "The slug pdf-tables was taken since"),
    ],
)
def test_what_stands_in_the_way_is_said(author, approve, status, reason):
    author.post(URL, changed(SKILL))
    SkillFactory(slug="pdf-tables", content=TEXT, status=status)

    with pytest.raises(Refused, match=reason):
        approve()

    assert Submission.objects.get().state == "pending"
    assert Skill.objects.get().content == TEXT


@pytest.mark.contract("29.11")
def test_publishing_can_end_a_recall(author, submitted, approve):
    skill = submitted()
    skill.recall("It leaks.")
    author.post(URL, changed(SKILL) | {"baseNumber": 1})

    skill = approve(ends_recall=True)

    assert (skill.state, skill.number) == ("published", 2)
    assert skill.content == changed(SKILL)["content"]


@pytest.mark.contract("29.11")
def test_the_same_text_makes_no_version(author, approve):
    author.post(URL, SKILL)
    SkillFactory(
        slug="pdf-tables",
        content=TEXT,
        title="PDF Tables",
        description="Reads tables.",
        category="",
        license="MIT",
    )

    skill = approve()

    submission = Submission.objects.get()
    assert (submission.state, submission.number, skill.number) == ("published", 1, 1)
    assert not SubmittedVersion.objects.exists()


@pytest.mark.contract("29.12")
def test_a_later_import_leaves_it_alone(author, submitted, tmp_path):
    folder = tmp_path / "pdf-tables"
    folder.mkdir()
    (folder / "SKILL.md").write_text(TEXT)

    def imported():
        lines = []
        report = ImportReport(lines.append)
        importer = SkillImporter(report, source="house")
        list(importer.import_files(importer.find(tmp_path)))
        return lines, report

    imported()
    submitted(changed(SKILL) | {"baseNumber": 1})
    (folder / "SKILL.md").write_text(f"{TEXT}\nAnother text.\n")
    lines, report = imported()

    skill = Skill.objects.get()
    assert lines == [f"note: {folder}/SKILL.md: maintained by @caller"]
    assert (report.created, report.updated, report.unchanged) == (0, 0, 1)
    assert (skill.source, skill.former_source) == (
        "submission:@caller",
        "house:pdf-tables/SKILL.md",
    )
    assert skill.content == changed(SKILL)["content"]


@pytest.mark.contract("29.12")
def test_who_submitted_a_version_never_changes(submitted):
    submitted()
    row = SubmittedVersion.objects.get()

    for change in (row.save, row.delete):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()


@pytest.mark.contract("29.14")
def test_a_purge_takes_submitted_bytes_too(author, submitted, approve):
    skill = submitted()
    author.post(URL, changed(SKILL) | {"baseNumber": 1})
    approve()
    version = skill.versions.get(number=1)
    other = SkillFactory(slug="other")
    Submission.objects.filter(number=1).update(state="pending", number=None)

    Purge.objects.purge(version, "A court said so.")

    purged = Submission.objects.order_by("id").first()
    assert (purged.state, purged.reason) == ("rejected", "This text was purged.")
    assert (purged.content, purged.archive, purged.files) == (None, None, [])
    assert Submission.objects.order_by("id").last().content == changed(SKILL)["content"]
    assert other.number == 1
    response = author.post(URL, SKILL)
    assert response.status_code == 400
    assert response.json() == {
        "error": "content: This text was purged and cannot come back. Change it."
    }


@pytest.mark.contract("29.14")
def test_a_text_that_is_purged_while_it_arrives_is_refused(agent, submitted, editor, tmp_path):
    skill = submitted()
    skill.content = changed(SKILL)["content"]
    skill.save()
    with written("skill", TEXT, []) as path:
        proposal = Proposal("skill", path)
        proposal.check(skill, 2)
        Purge.objects.purge(skill.versions.get(number=1), "A court said so.")

        with pytest.raises(UnusableText, match="This text was purged"):
            Submission.objects.submit(proposal, agent=agent)


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_while_a_preview_inspects(author, monkeypatch):
    author.post(URL, SKILL | {"files": [SCRIPT]})
    waited = []
    monkeypatch.setattr(
        "catalogue.inspection.is_script",
        lambda _path, _data: waited.append(connection.in_atomic_block),
    )

    outcome = preview(Submission.objects.get())

    assert (outcome.result, waited) == ("created", [False])


@pytest.mark.django_db(transaction=True)
def test_an_import_may_inspect_for_minutes():
    with connection.cursor() as cursor, taking_turns():
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("5min",)
