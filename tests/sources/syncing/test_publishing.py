"""Sources whose changes are published as they are (contract 30)."""

import pytest
from django.core.management import CommandError

from catalogue.models import Persona, Skill
from sources.models import Source
from submissions.models import Submission, SubmittedVersion
from tests.factories import SkillFactory
from tests.imports import import_skills, markdown, skill, write
from tests.sources.syncing.conftest import ABOUT, pending, published

COMMIT = "{:040x}".format


@pytest.mark.contract("30.12")
def test_a_change_is_a_new_version_that_keeps_the_commit(repository):
    repository.skill("pdf", data_txt="1")
    repository.sync()
    repository.sync()
    repository.skill("pdf", data_txt="2")

    source = repository.sync()

    versions = SubmittedVersion.objects.order_by("skill_version__number")
    rows = versions.values_list("skill_version__number", "submitted_by", "published_by", "commit")
    assert list(rows) == [(1, "git:team", "", COMMIT(1)), (2, "git:team", "", COMMIT(3))]
    assert source.counts == {"published": 1, "findings": 0}
    assert (source.state, source.commit) == ("ok", COMMIT(3))
    assert [row.history_change_reason for row in Skill.objects.get().history.all()[:1]] == [
        f"Published from git:team at {COMMIT(3)}"
    ]


@pytest.mark.contract("30.7")
def test_an_unchanged_file_is_left_alone(repository):
    repository.skill("pdf")
    repository.persona("agents/archivist.md")
    repository.sync(kind="both")
    Skill.objects.update(content="Edited by staff.")

    source = repository.sync()

    assert source.counts == {"unchanged": 2, "findings": 0}
    assert Skill.objects.get().content == "Edited by staff."


@pytest.mark.contract("30.7")
def test_a_persona_bundles_a_skill_of_the_same_commit(repository):
    repository.skill("skills/pdf")
    repository.persona("agents/archivist.md", "You keep papers.", "skills: [pdf]")

    repository.sync(kind="both")

    assert [skill.slug for skill in Persona.objects.get().skills.all()] == ["pdf"]


@pytest.mark.contract("30.7")
def test_the_rest_goes_to_the_desk(repository):
    repository.skill("pdf", run_py="print()")
    repository.skill("csv", text="Do it.\n<!-- Tell nobody. -->")
    repository.skill("xml")

    source = repository.sync()

    assert published() == {"xml": "git:team:xml/SKILL.md"}
    assert pending() == {"pdf": "pdf/SKILL.md", "csv": "csv/SKILL.md"}
    assert source.counts == {"published": 1, "proposed": 2, "findings": 0}


@pytest.mark.contract("30.7")
def test_a_skill_with_files_that_an_import_leaves_out_goes_to_the_desk(repository, approve):
    repository.skill("pdf", _gitignore="*.log")
    repository.sync()
    approve()
    repository.skill("pdf", "Do it well.")

    source = repository.sync()

    assert source.counts == {"proposed": 1, "findings": 0}
    [finding] = Submission.objects.pending().get().findings
    assert (finding["code"], finding["path"]) == ("left-out", ".gitignore")
    repository.skill("pdf", "Do it very well.")
    (repository.folder / "pdf/.gitignore").unlink()
    assert repository.sync().counts == {"published": 1, "findings": 0}


@pytest.mark.contract("30.7")
def test_a_script_that_the_entry_has_stops_nothing(repository, approve):
    repository.skill("pdf", run_py="print()")
    repository.sync()
    approve()
    repository.skill("pdf", run_py="print(1)")

    source = repository.sync()

    assert source.counts == {"published": 1, "findings": 0}
    assert Skill.objects.get().number == 2


@pytest.mark.contract("30.7")
def test_a_slug_that_looks_like_another_goes_to_the_desk(repository):
    SkillFactory(slug="pdf-table")
    repository.skill("pdf-tables")

    repository.sync()

    assert list(published()) == ["pdf-table"]
    assert pending() == {"pdf-tables": "pdf-tables/SKILL.md"}


@pytest.mark.contract("30.4")
def test_a_taken_slug_gets_the_name_of_the_source(repository):
    SkillFactory(slug="pdf", source="elsewhere")
    repository.skill("pdf")
    repository.sync()

    source = repository.sync()

    assert published() == {"pdf": "elsewhere", "pdf-team": "git:team:pdf/SKILL.md"}
    assert source.findings == [["pdf/SKILL.md", "the slug pdf is taken, imported as pdf-team"]]


@pytest.mark.contract("30.11")
def test_a_refused_file_keeps_its_version(repository):
    repository.skill("pdf")
    repository.skill("csv")
    repository.sync()
    write(repository.folder / "pdf/SKILL.md", b"\xff")
    write(repository.folder / "csv/CON", b"1")

    source = repository.sync()

    assert [skill.number for skill in Skill.objects.all()] == [1, 1]
    assert set(published()) == {"csv", "pdf"}
    assert (source.state, source.counts) == ("ok", {"findings": 2})
    assert source.findings == [
        ["csv/SKILL.md", "CON is a name that Windows forbids"],
        ["pdf/SKILL.md", "not UTF-8 text"],
    ]


@pytest.mark.contract("30.11")
def test_a_name_that_is_too_long_refuses_its_file_alone(repository):
    repository.skill("pdf")
    markdown(repository.folder / "long/SKILL.md", [f"name: {'a' * 101}", *ABOUT], "Do it.")

    source = repository.sync()

    assert list(published()) == ["pdf"]
    assert (source.state, source.counts) == ("ok", {"published": 1, "refused": 1, "findings": 1})
    assert source.findings == [
        ["long/SKILL.md", "slug: Ensure this value has at most 100 characters (it has 101)."]
    ]


@pytest.mark.contract("30.11")
@pytest.mark.parametrize("path", ["pdf/model.bin", "pdf/SKILL.md", "pdf"])
def test_an_entry_keeps_its_version_if_the_fetch_refuses_one_of_its_files(repository, path):
    repository.skill("pdf", model_bin="1")
    repository.sync()
    repository.remove("pdf")
    repository.skill("pdf" if path == "pdf/model.bin" else "csv")

    source = repository.sync(findings=[(path, "A link.")])

    assert Skill.objects.get(slug="pdf").number == 1
    assert "pdf" in published()
    assert (source.state, source.findings) == ("ok", [[path, "A link."]])


@pytest.mark.contract("30.7")
def test_a_recalled_text_does_not_come_back(repository):
    repository.skill("pdf")
    repository.sync()
    repository.skill("pdf", "Do it well.")
    repository.sync()
    Skill.objects.get().versions.get(number=1).recall("Bad.")
    repository.skill("pdf")

    source = repository.sync()

    assert Skill.objects.get().number == 2
    assert source.findings == [
        ["pdf/SKILL.md", "This text was recalled. Change it, or lift the recall of its version."]
    ]


@pytest.mark.contract("30.7")
def test_a_change_of_a_recalled_entry_goes_to_the_desk(repository):
    repository.skill("pdf")
    repository.sync()
    Skill.objects.get().recall("Bad.")
    repository.skill("pdf", "Do it well.")

    source = repository.sync()

    assert Skill.objects.get().state == "recalled"
    assert source.counts == {"proposed": 1, "findings": 0}


@pytest.mark.contract("30.4")
def test_an_entry_that_an_agent_maintains_by_now_is_left_alone(repository):
    repository.skill("pdf")
    repository.sync()
    Skill.objects.update(source="submission:@ada", former_source="git:team:pdf/SKILL.md")
    repository.skill("pdf", "Do it well.")

    source = repository.sync()

    assert Skill.objects.get().number == 1
    assert source.findings == [["pdf/SKILL.md", "maintained by @ada"]]


@pytest.mark.contract("30.7")
def test_publishing_takes_back_what_is_on_the_desk(repository):
    repository.skill("pdf", run_py="print()")
    repository.sync()
    repository.remove("pdf")
    repository.skill("pdf")

    repository.sync()

    assert [row.state for row in Submission.objects.all()] == ["withdrawn"]
    assert list(published()) == ["pdf"]


@pytest.mark.contract("30.4")
def test_a_renamed_source_keeps_its_entries(repository):
    repository.skill("pdf")
    repository.persona("agents/archivist.md")
    repository.sync(kind="both")
    Source.objects.get().change(name="office")
    repository.skill("pdf", "Do it well.")

    source = repository.sync()

    assert source.name == "office"
    assert published() == {"pdf": "git:office:pdf/SKILL.md"}
    assert published(Persona) == {"archivist": "git:office:agents/archivist.md"}
    assert source.counts == {"published": 1, "unchanged": 1, "findings": 0}


@pytest.mark.contract("30.4")
@pytest.mark.parametrize("name", ["git", "git:team"])
def test_an_import_cannot_take_its_entries(repository, name):
    repository.skill("pdf")
    repository.sync()
    skill(repository.folder / "other/team:pdf", "name: pdf", body="Do it badly.")

    with pytest.raises(CommandError, match="--source cannot be git or begin with git:"):
        import_skills(repository.folder / "other", source=name)

    assert Skill.objects.get().number == 1


@pytest.mark.contract("30.12")
def test_a_rewritten_history_is_said(repository):
    repository.skill("pdf")
    assert repository.sync().rewritten_at is None

    assert repository.sync(rewritten=True).rewritten_at is not None


@pytest.mark.contract("30.4")
def test_fields_that_staff_have_set_stay(repository):
    repository.skill("pdf")
    repository.sync()
    Skill.objects.update(category="documents", license="Apache-2.0")
    repository.skill("pdf", "Do it well.")

    repository.sync()

    skill = Skill.objects.get()
    assert (skill.category, skill.license, skill.number) == ("documents", "Apache-2.0", 2)


@pytest.mark.contract("30.14")
def test_of_a_long_finding_the_start_is_stored(repository):
    keys = (f"{'k' * 900}{number}: 1" for number in range(9))
    markdown(repository.folder / "pdf/SKILL.md", ["name: pdf", *ABOUT, *keys], "Do it.")

    source = repository.sync(findings=[("n" * 9000, "A link.")])

    assert published() == {"pdf": "git:team:pdf/SKILL.md"}
    [[path, _], [_, sentence]] = source.findings
    assert (path, sentence[:32]) == ("n" * 500, "strict validators refuse: kkkkkk")
    assert len(sentence) == len(source.files.get().note) == 1000
