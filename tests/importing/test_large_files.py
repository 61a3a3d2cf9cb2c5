"""The largest skill is imported, zipped and served without a whole file in memory."""

import io
import os
import tracemalloc
from contextlib import contextmanager
from tempfile import TemporaryFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogue.models import FileContent, Skill, content_digest
from importing import exports
from importing.members import MAX_FILE
from importing.models import ImportRun
from interfaces.git import sources, store
from tests.admin.files import SKILLS
from tests.imports import import_skills, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("downloads")]
MIB = 1024 * 1024


@pytest.fixture
def data(folder):
    data = os.urandom(MAX_FILE)
    write(folder / "large.bin", data)
    return data


@contextmanager
def within(mebibytes):
    """The block takes at most so much memory at a time."""
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < mebibytes * MIB


@pytest.mark.contract("17.1", "17.4")
def test_an_import_stores_a_large_file_in_pieces(folder, data):
    with within(12):  # the inspection reads all of one file
        assert import_skills(folder).status == 0

    stored = FileContent.objects.get(digest=content_digest(data))
    assert bytes(stored.data) == data


@pytest.mark.contract("17.8")
def test_an_archive_and_an_export_are_written_in_pieces(folder, data):
    import_skills(folder)
    skill = Skill.objects.get()

    with TemporaryFile() as file, within(8):
        skill.write_archive(file)
        assert file.tell() == skill.archive_size
        exports.export(Skill.objects.all(), file)
        assert file.tell() > 2 * MAX_FILE


@pytest.mark.contract("27.11")
def test_git_stores_and_sends_a_large_blob_in_pieces(folder, data):
    import_skills(folder)

    with within(8):
        store.repository_of(sources.SkillHistory("pdf"))

    rows = [(bytes(row.sha), row.size) for row in store.Object.objects.order_by("-size")[:1]]
    with within(8):
        assert sum(map(len, store.read_objects(rows))) == rows[0][1] > MAX_FILE


@pytest.mark.contract("23.9")
def test_an_upload_is_stored_in_pieces(admin_client):
    data = os.urandom(3 * MIB + 5)
    run = ImportRun(kind="skill", name="a.zip")

    with within(8):
        run.save_with(io.BytesIO(data))
    with TemporaryFile() as file, within(8):
        run.write_data(file)
        assert file.read() == data


@pytest.mark.contract("17.1")
def test_staff_may_drop_the_largest_folder(admin_client):
    names = ["SKILL.md", *(f"{number}.md" for number in range(1000))]
    files = [SimpleUploadedFile(name, b"---\nname: one\ndescription: x\n---\nx") for name in names]
    paths = str([f"one/{name}" for name in names]).replace("'", '"')

    page = admin_client.post(f"{SKILLS}import/", {"file": files, "paths": paths}, follow=True)

    [outcome] = page.context["outcomes"]["created"]
    assert len(outcome.changes) == 1001
