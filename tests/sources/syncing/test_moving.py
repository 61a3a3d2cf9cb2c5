"""Files that move within a repository keep their entries (contract 30)."""

import pytest
from django.utils import timezone

from catalogue.models import Skill
from sources.models import Source, SourceFile
from submissions.models import Submission
from tests.api.concurrency import during
from tests.factories import SkillFactory
from tests.sources.syncing.conftest import pending, published

pytestmark = pytest.mark.contract("30.4")


@pytest.mark.parametrize("text", ["Do it.", "Do it well."])
def test_a_moved_file_keeps_its_entry(repository, text):
    repository.skill("pdf")
    repository.sync()
    repository.remove("pdf")
    repository.skill("skills/pdf", text)

    source = repository.sync()

    assert published() == {"pdf": "git:team:skills/pdf/SKILL.md"}
    assert text in Skill.objects.get().content
    word = "unchanged" if text == "Do it." else "published"
    assert source.counts == {word: 1, "findings": 0}


def test_a_copy_takes_the_place_of_its_original(repository):
    repository.skill("plugins/office/skills/pdf")
    repository.sync()
    repository.skill("plugins/pdf/skills/pdf")
    repository.sync()
    repository.remove("plugins/office")

    source = repository.sync()

    assert published() == {"pdf": "git:team:plugins/pdf/skills/pdf/SKILL.md"}
    assert source.counts == {"unchanged": 1, "findings": 0}


def test_a_file_that_comes_back_elsewhere_ends_the_withdrawal(repository):
    repository.skill("pdf")
    repository.sync()
    repository.remove("pdf")
    repository.sync()
    repository.skill("skills/pdf")

    repository.sync()

    assert published() == {"pdf": "git:team:skills/pdf/SKILL.md"}


def test_what_is_on_the_desk_moves_along(proposing, approve):
    SkillFactory(slug="pdf", source="elsewhere")
    proposing.skill("pdf")
    proposing.sync()
    proposing.remove("pdf")
    proposing.skill("skills/pdf")

    source = proposing.sync()

    assert source.counts == {"unchanged": 1, "findings": 1}
    assert pending() == {"pdf-team": "skills/pdf/SKILL.md"}
    approve()
    assert published()["pdf-team"] == "git:team:skills/pdf/SKILL.md"
    assert Submission.objects.count() == 1


def test_another_file_of_the_same_name_does_not_take_the_entry(repository):
    repository.skill("a/pdf")
    repository.sync()
    repository.skill("b/pdf", "Do it well.")

    repository.sync()

    assert published() == {
        "pdf": "git:team:a/pdf/SKILL.md",
        "pdf-team": "git:team:b/pdf/SKILL.md",
    }


@pytest.mark.parametrize("runs", [1, 2])
def test_a_file_that_moves_onto_the_path_of_another_does_not_take_its_entry(repository, runs):
    repository.skill("a", "Do A.")
    repository.skill("b", "Do B.")
    repository.sync()
    repository.remove("a")
    if runs == 2:
        repository.sync()
    repository.move("b", "a")

    source = repository.sync()

    skills = {skill.slug: skill for skill in Skill.objects.all()}
    assert published() == {"b": "git:team:a/SKILL.md"}
    assert (skills["b"].number, "Do B." in skills["b"].content) == (1, True)
    assert (skills["a"].status, "Do A." in skills["a"].content) == ("withdrawn", True)
    assert source.counts == {"unchanged": 1, "findings": 0} | (
        {"withdrawn": 1} if runs == 1 else {}
    )
    repository.skill("c/a", "Do A.")
    repository.sync()
    assert published() == {"a": "git:team:c/a/SKILL.md", "b": "git:team:a/SKILL.md"}


def test_files_that_change_places_keep_their_entries(repository):
    for name in "abc":
        repository.skill(name, f"Do {name}.")
    repository.sync()
    for path, place in [("a", "d"), ("c", "a"), ("b", "c"), ("d", "b")]:
        repository.move(path, place)

    source = repository.sync()

    places = {"a": "b", "b": "c", "c": "a"}
    assert published() == {name: f"git:team:{path}/SKILL.md" for name, path in places.items()}
    assert source.counts == {"unchanged": 3, "findings": 0}


def test_a_name_that_another_file_takes_over_takes_the_entry_along(repository):
    repository.skill("a", "Do A.")
    repository.sync()
    repository.move("a", "b")
    repository.skill("new", "Do something.")
    repository.move("new", "a")

    repository.sync()

    assert published() == {"a": "git:team:b/SKILL.md", "new": "git:team:a/SKILL.md"}


def test_a_file_with_another_name_at_its_path_keeps_its_entry(repository):
    repository.skill("pdf")
    repository.sync()
    repository.skill("tables")
    repository.remove("pdf")
    repository.move("tables", "pdf")

    repository.sync()

    assert published() == {"pdf": "git:team:pdf/SKILL.md"}
    assert "name: tables" in Skill.objects.get().content


def test_a_new_name_waits_for_what_moves(transactional_db, repository):
    repository.skill("pdf")
    source = repository.sync()
    files = {("skill", "skills/pdf/SKILL.md"): ("pdf", SourceFile.objects.get().bytes_digest)}

    during(
        lambda: SourceFile.objects.observe(repository.source, files, timezone.now()),
        lambda: Source.objects.get(pk=source.pk).change(name="office"),
    )

    assert published() == {"pdf": "git:office:skills/pdf/SKILL.md"}


def test_a_new_name_waits_for_what_is_being_published(transactional_db, proposing, approve):
    proposing.skill("pdf")
    source = proposing.sync()

    during(approve, lambda: source.change(name="office"))

    assert published() == {"pdf": "git:office:pdf/SKILL.md"}
