"""import_skills: if two sources have the same slug, neither overwrites the other."""

import contextlib

import pytest
from django.core.management import CommandError

from catalogue.models import Skill
from importing.importers import SkillImporter
from tests.factories import SkillFactory
from tests.imports import AFTER_REFUSALS, import_skills, served, skill, slugs

pytestmark = pytest.mark.django_db


def bodies(anyone):
    """The last line of each served skill, by slug."""
    return {slug: served(anyone, slug)["content"].split()[-1] for slug in slugs(anyone)}


@pytest.fixture
def hub(tmp_path):
    """Two owners with a skill of the same name."""
    skill(tmp_path / "hub" / "alice" / "pdf", body="Alices")
    skill(tmp_path / "hub" / "bob" / "pdf", body="Bobs")
    return tmp_path / "hub"


def test_a_colliding_newcomers_slug_names_its_owner(anyone, hub):
    outcome = import_skills(hub)

    assert bodies(anyone) == {"pdf": "Alices", "pdf-bob": "Bobs"}
    assert outcome.status == 0
    assert outcome.lines == [
        f"note: {hub / 'bob' / 'pdf' / 'SKILL.md'}: the slug pdf is taken, imported as pdf-bob",
        "skills: 2 created, 0 updated, 0 unchanged, 0 refused",
    ]


@pytest.mark.contract("23.4")
def test_a_collision_with_an_earlier_run_overwrites_nothing(anyone, hub):
    import_skills(hub / "bob")

    outcome = import_skills(hub)

    assert bodies(anyone) == {"pdf": "Bobs", "pdf-alice": "Alices"}
    assert outcome.summary == "skills: 1 created, 0 updated, 1 unchanged, 0 refused"


@pytest.mark.parametrize("order", [["alice", "bob"], ["bob", "alice"]])
def test_colliding_skills_keep_their_slugs_when_run_again(anyone, hub, order):
    import_skills(hub)
    before = [served(anyone, slug) for slug in slugs(anyone)]

    outcome = import_skills(*(hub / owner for owner in order))

    assert outcome.lines == ["skills: 0 created, 0 updated, 2 unchanged, 0 refused"]
    assert [served(anyone, slug) for slug in slugs(anyone)] == before


def test_each_is_updated_from_its_own_file(anyone, hub):
    import_skills(hub)
    skill(hub / "bob" / "pdf", body="Newer")

    import_skills(hub)

    assert bodies(anyone) == {"pdf": "Alices", "pdf-bob": "Newer"}


def test_the_author_in_the_file_is_its_owner(anyone, hub):
    skill(hub / "bob" / "pdf", "name: pdf", "author: Bob's Tools, Inc.")

    import_skills(hub)

    assert slugs(anyone) == ["pdf", "pdf-bobs-tools-inc"]


def test_without_an_owner_a_number_tells_them_apart(anyone, tmp_path):
    for letter in "abc":
        skill(tmp_path / letter, "name: pdf", body=letter)

    import_skills(tmp_path)

    assert bodies(anyone) == {"pdf": "a", "pdf-2": "b", "pdf-3": "c"}


def test_one_owners_further_collisions_get_a_number(anyone, hub):
    skill(hub / "bob" / "pdf-too", "name: PDF", body="Third")

    import_skills(hub)

    assert bodies(anyone) == {"pdf": "Alices", "pdf-bob": "Bobs", "pdf-bob-2": "Third"}


def test_a_colliding_slug_of_full_length_still_fits(anyone, tmp_path):
    for owner in ("a" * 100, "b" * 100):
        for folder in ("x", "y"):
            skill(tmp_path / owner / folder, f"name: {'p' * 100}")

    outcome = import_skills(tmp_path)

    assert outcome.status == 0
    assert len(slugs(anyone)) == 4


def test_a_skill_that_staff_wrote_is_not_overwritten(anyone, tmp_path):
    SkillFactory(slug="pdf", title="By hand", content="Written")
    skill(tmp_path / "pdf", body="Imported")

    import_skills(tmp_path)

    assert bodies(anyone) == {"pdf": "Written", "pdf-2": "Imported"}


def test_a_withdrawn_skill_keeps_its_slug(anyone, tmp_path):
    SkillFactory(slug="pdf", status="withdrawn", source="elsewhere")
    skill(tmp_path / "pdf", body="Imported")

    import_skills(tmp_path)

    assert bodies(anyone) == {"pdf-2": "Imported"}


def test_a_slug_that_is_taken_concurrently_stops_nothing(anyone, tmp_path, monkeypatch):
    late = skill(tmp_path / "csv", body="Imported")
    skill(tmp_path / "pdf", body="Imported")
    create = SkillImporter.create

    def create_late(importer, new):
        SkillFactory(slug="csv", content="Written")
        create(importer, new)

    monkeypatch.setattr(SkillImporter, "create", create_late)
    outcome = import_skills(tmp_path)

    assert bodies(anyone) == {"csv": "Written", "pdf": "Imported"}
    assert outcome.lines == [
        f"refused: {late}: its slug was taken while it was imported; import it again",
        f"skills: 1 created, 0 updated, 0 unchanged, 1 refused{AFTER_REFUSALS}",
    ]


def test_equal_copies_of_two_owners_are_two_skills(anyone, hub):
    skill(hub / "bob" / "pdf", body="Alices")

    import_skills(hub)

    assert bodies(anyone) == {"pdf": "Alices", "pdf-bob": "Alices"}
    assert import_skills(hub).summary == "skills: 0 created, 0 updated, 2 unchanged, 0 refused"


@pytest.mark.contract("23.4")
def test_a_named_source_is_known_wherever_it_lies(anyone, hub):
    import_skills(hub, source="hub")
    before = [served(anyone, slug) for slug in slugs(anyone)]

    outcome = import_skills(hub.rename(hub.with_name("moved")), source="hub")

    assert outcome.lines == ["skills: 0 created, 0 updated, 2 unchanged, 0 refused"]
    assert [served(anyone, slug) for slug in slugs(anyone)] == before


def test_one_owners_folder_moved_in_a_named_source_takes_nothing_over(anyone, hub):
    import_skills(hub, source="hub")
    (hub / "alice").rename(hub / "carol")

    import_skills(hub, source="hub")

    assert bodies(anyone) == {"pdf": "Alices", "pdf-bob": "Bobs", "pdf-carol": "Alices"}


def test_a_changed_file_of_a_named_source_updates_from_anywhere(anyone, hub):
    import_skills(hub, source="hub")
    moved = hub.rename(hub.with_name("moved"))
    skill(moved / "bob" / "pdf", body="Newer")

    import_skills(moved, source="hub")

    assert bodies(anyone) == {"pdf": "Alices", "pdf-bob": "Newer"}


def test_two_named_sources_do_not_meet(anyone, tmp_path):
    skill(tmp_path / "a" / "pdf", body="First")
    skill(tmp_path / "b" / "pdf", body="Second")

    import_skills(tmp_path / "a", source="first")
    import_skills(tmp_path / "b", source="second")

    assert bodies(anyone) == {"pdf": "First", "pdf-2": "Second"}


def test_equal_copies_in_two_named_sources_are_two_skills(anyone, tmp_path):
    skill(tmp_path / "a" / "pdf")
    skill(tmp_path / "b" / "pdf")

    import_skills(tmp_path / "a", source="first")
    import_skills(tmp_path / "b", source="second")

    assert slugs(anyone) == ["pdf", "pdf-2"]


def test_equal_copies_within_a_named_source_are_two_skills(anyone, hub):
    skill(hub / "bob" / "pdf", body="Alices")

    import_skills(hub, source="hub")

    assert slugs(anyone) == ["pdf", "pdf-bob"]
    assert import_skills(hub, source="hub").summary == (
        "skills: 0 created, 0 updated, 2 unchanged, 0 refused"
    )


def test_several_paths_of_one_named_source_overwrite_nothing(anyone, hub):
    skill(hub / "bob" / "csv", body="Tables")
    folders = [hub / "alice" / "pdf", hub / "bob" / "pdf", hub / "bob" / "csv"]

    with contextlib.suppress(CommandError):  # refusing several paths would also be fine
        import_skills(*folders, source="hub")

    assert sorted(bodies(anyone).values()) in ([], ["Alices", "Bobs", "Tables"])


def test_a_named_source_that_is_one_skills_folder_keeps_the_others(anyone, hub):
    skill(hub / "bob" / "csv", body="Tables")
    import_skills(hub / "alice" / "pdf", source="hub")

    with contextlib.suppress(CommandError):
        import_skills(hub / "bob" / "csv", source="hub")

    assert bodies(anyone)["pdf"] == "Alices"


def test_an_entry_tells_staff_where_it_came_from(hub):
    import_skills(hub)
    import_skills(hub / "alice", source="mirror")

    sources = Skill.objects.order_by("pk").values_list("source", flat=True)
    assert list(sources) == [
        str(hub / "alice" / "pdf" / "SKILL.md"),
        str(hub / "bob" / "pdf" / "SKILL.md"),
        "mirror:pdf/SKILL.md",
    ]
