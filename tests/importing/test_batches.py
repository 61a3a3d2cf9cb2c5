"""What an import costs the database, however many files it has."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import FileContent, Skill, content_digest
from catalogue.yaml_fields import read_short
from importing import base as importing
from importing.folders import ImportFolder
from marketplace.large_values import PIECE
from tests.factories import SkillFactory
from tests.imports import SKILLS, import_personas, import_skills, persona, skill, write

pytestmark = pytest.mark.django_db

# Statistics of the tests' other imports end with their transactions.
STATISTICS = "SELECT count(*) FROM pg_stats WHERE tablename = 'catalogue_skill'"
# How many pages it still has to merge.
MERGE = "SELECT gin_clean_pending_list('skill_look_alike')"


def queries_of(run, path):
    with CaptureQueriesContext(connection) as queries:
        run(path)
    return len(queries)


def test_more_personas_take_no_more_queries(tmp_path):
    for number in range(5):
        persona(tmp_path / "few" / f"{number}.md", f"name: a-{number}")
        persona(tmp_path / "many" / f"{number}.md", f"name: b-{number}")
        persona(tmp_path / "many" / f"more-{number}.md", f"name: c-{number}")

    assert queries_of(import_personas, tmp_path / "many") == queries_of(
        import_personas, tmp_path / "few"
    )


def test_personas_with_skills_take_no_more_queries_when_they_are_imported_again(tmp_path):
    SkillFactory(slug="pdf")
    for number in range(5):
        persona(tmp_path / f"{number}.md", f"name: a-{number}", "skills: [pdf]")
    import_personas(tmp_path)

    again = queries_of(import_personas, tmp_path)

    assert again == queries_of(import_personas, tmp_path / "0.md")


def test_more_skills_take_no_more_queries(tmp_path):
    for number in range(5):
        skill(tmp_path / "few" / str(number), f"name: a-{number}")
        skill(tmp_path / "many" / str(number), f"name: b-{number}")
        skill(tmp_path / "many" / f"more-{number}", f"name: c-{number}")
    for skill_md in tmp_path.rglob("SKILL.md"):
        write(skill_md.with_name("run.py"), "print(1)")
    import_skills(tmp_path / "few" / "0")  # stores the file

    assert queries_of(import_skills, tmp_path / "many") == queries_of(
        import_skills, tmp_path / "few"
    )


def test_each_of_several_skills_gets_the_digest_of_its_own_archive(anyone, tmp_path):
    for number in range(3):
        skill(tmp_path / str(number), f"name: a-{number}")
        write(tmp_path / str(number) / "run.py", f"print({number})")
        write(tmp_path / str(number) / "same.py", "print()")
    skill(tmp_path / "1b", "name: a-1b")  # without files

    import_skills(tmp_path)

    digests = dict(Skill.objects.values_list("slug", "archive_digest"))
    assert digests.pop("a-1b") == ""
    assert digests == {
        slug: content_digest(anyone.get(f"{SKILLS}/{slug}/archive.zip").content)
        for slug in ("a-0", "a-1", "a-2")
    }


def test_skills_take_no_more_queries_when_they_are_imported_again(tmp_path):
    for number in range(5):
        skill(tmp_path / str(number), f"name: a-{number}")
        write(tmp_path / str(number) / "run.py", f"print({number})")
    import_skills(tmp_path)

    again = queries_of(import_skills, tmp_path)

    assert again == queries_of(import_skills, tmp_path / "0")


def test_the_frontmatter_of_each_file_of_a_batch_is_parsed_once(tmp_path):
    for number in range(10):
        skill(tmp_path / str(number), f"name: parsed-once-{number}")
    before = read_short.cache_info().misses

    import_skills(tmp_path)

    assert read_short.cache_info().misses - before == 10


def test_a_new_table_gets_statistics_after_many_files(tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "MAINTENANCE", 2)
    skill(tmp_path / "one")
    skill(tmp_path / "two")

    import_skills(tmp_path)

    with connection.cursor() as cursor:
        cursor.execute(STATISTICS)
        assert cursor.fetchone()[0] > 0


def test_many_files_are_merged_into_the_indexes_that_the_next_ones_search(tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "MAINTENANCE", 2)
    skill(tmp_path / "one")
    skill(tmp_path / "two")

    import_skills(tmp_path)

    with connection.cursor() as cursor:
        cursor.execute(MERGE)
        assert cursor.fetchone()[0] == 0


def test_a_file_that_changes_during_its_import_refuses_the_skill_and_stores_nothing(
    tmp_path, monkeypatch
):
    skill(tmp_path / "pdf", "name: pdf")
    changing = write(tmp_path / "pdf" / "b.py", "print(1)")
    # Stored before the next file is read, because it is large.
    (tmp_path / "pdf" / "a.bin").write_bytes(bytes(PIECE + 1))
    store = ImportFolder.store

    def change_before(folder, stored):
        changing.write_text("print(2)")
        store(folder, stored)

    monkeypatch.setattr(ImportFolder, "store", change_before)

    outcome = import_skills(tmp_path)

    assert outcome.refused == [
        f"{tmp_path}/pdf/SKILL.md: b.py was changed while it was imported; import it again"
    ]
    assert not Skill.objects.exists()
    assert not FileContent.objects.exists()
