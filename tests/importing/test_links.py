"""import_skills: symbolic links to skills and to their folders (contract 23.6)."""

import pytest

from tests.imports import import_skills, markdown, skill, slugs

pytestmark = pytest.mark.django_db

OUTSIDE = "a symbolic link that leads outside the imported path"


@pytest.fixture
def outside(tmp_path):
    """A skill outside the imported path, `tmp_path / "in"`."""
    (tmp_path / "in").mkdir()
    return skill(tmp_path / "out" / "secret", body="Secret.")


@pytest.mark.contract("23.6")
def test_a_skill_linked_from_outside_the_path_is_refused(anyone, tmp_path, outside):
    link = tmp_path / "in" / "pdf" / "SKILL.md"
    link.parent.mkdir()
    link.symlink_to(outside)
    skill(tmp_path / "in" / "other")

    outcome = import_skills(tmp_path / "in")

    assert outcome.refused == [f"{link}: {OUTSIDE}"]
    assert outcome.status == 1
    assert slugs(anyone) == ["other"]


@pytest.mark.contract("23.6")
def test_a_linked_folder_outside_the_path_is_not_imported(anyone, tmp_path, outside):
    (tmp_path / "in" / "pdf").symlink_to(outside.parent)

    import_skills(tmp_path / "in")

    assert slugs(anyone) == []


def test_a_linked_folder_outside_the_path_is_reported(tmp_path, outside):
    link = tmp_path / "in" / "pdf"
    link.symlink_to(outside.parent)

    outcome = import_skills(tmp_path / "in")

    assert outcome.found("left-out") == [f"{link}: a link outside of every skill"]


def test_a_file_linked_inside_the_path_is_imported(anyone, tmp_path):
    file = markdown(tmp_path / "shared" / "pdf.md", ["name: pdf"], "Do it.")
    link = tmp_path / "skills" / "pdf" / "SKILL.md"
    link.parent.mkdir(parents=True)
    link.symlink_to(file)

    outcome = import_skills(tmp_path)

    assert slugs(anyone) == ["pdf"]
    assert outcome.status == 0


def test_a_file_and_a_link_to_it_are_one_skill(anyone, tmp_path):
    link = tmp_path / ".agent" / "pdf" / "SKILL.md"
    link.parent.mkdir(parents=True)
    link.symlink_to(skill(tmp_path / "skills" / "pdf"))

    import_skills(tmp_path)

    assert slugs(anyone) == ["pdf"]
    assert import_skills(tmp_path).summary.startswith("skills: 0 created, 0 updated")


def test_a_folder_linked_inside_the_path_is_imported_once(anyone, tmp_path):
    skill(tmp_path / "pdf")
    (tmp_path / "again").symlink_to(tmp_path / "pdf")
    (tmp_path / "loop").symlink_to(tmp_path)

    outcome = import_skills(tmp_path)

    assert slugs(anyone) == ["pdf"]
    assert outcome.lines == ["skills: 1 created, 0 updated, 0 unchanged, 0 refused"]


@pytest.mark.parametrize("target", ["nowhere", "SKILL.md"], ids=["dangling", "loop"])
def test_a_link_that_leads_nowhere_is_refused(anyone, tmp_path, target):
    link = tmp_path / "a" / "SKILL.md"
    link.parent.mkdir()
    link.symlink_to(target)
    skill(tmp_path / "b")

    outcome = import_skills(tmp_path)

    assert [line.partition(": ")[0] for line in outcome.refused] == [str(link)]
    assert slugs(anyone) == ["b"]


def test_the_path_itself_may_be_a_link(anyone, tmp_path, outside):
    (tmp_path / "link").symlink_to(tmp_path / "out")

    outcome = import_skills(tmp_path / "link")

    assert outcome.status == 0
    assert slugs(anyone) == ["secret"]
