"""The folder that large archives and files are sent from, which a host's processes share."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
from django.db import connection

from catalogue.models import Skill
from infrastructure.http_cache import stored_files
from tests.factories import SkillFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("downloads")]
MIB = 1024 * 1024
URL = "/api/v1/skills/pdf/archive.zip"
UNAVAILABLE = {"error": "Service temporarily unavailable. Try again in a few seconds."}


@pytest.fixture
def large():
    return SkillFactory(slug="pdf", files={"a.bin": b"a" * 700_000, "b.bin": b"b" * 700_000})


def assert_unavailable(response):
    assert (response.status_code, response.json()) == (503, UNAVAILABLE)
    assert response.headers["Retry-After"] == "2"


def is_archive(response, slug="pdf"):
    digest = f"sha256:{sha256(response.content).hexdigest()}"
    return digest == Skill.objects.get(slug=slug).archive_digest


def test_an_archive_is_written_once(anyone, large, downloads, django_assert_num_queries):
    first = anyone.get(URL)

    with django_assert_num_queries(1):
        again = anyone.get(URL)

    assert is_archive(first)
    assert again.content == first.content
    assert [file.name for file in downloads.iterdir()] == [f"{large.digest}.zip"]


def test_a_file_is_written_once(anyone, large, downloads, django_assert_num_queries):
    path = "/api/v1/skills/pdf/files/a.bin"
    assert anyone.get(path).content == b"a" * 700_000

    with django_assert_num_queries(1):
        assert anyone.get(path).content == b"a" * 700_000

    assert [file.name for file in downloads.iterdir()] == [large.files[0]["digest"]]


def test_a_small_archive_is_not_stored(anyone, downloads):
    SkillFactory(slug="pdf", files={"a.md": b"a"})

    assert is_archive(anyone.get(URL))
    assert not downloads.exists()


def test_a_changed_skill_has_another_archive(anyone, large):
    anyone.get(URL)
    large.content = "---\nname: pdf\ndescription: Reads.\n---\n"
    large.save()

    assert is_archive(anyone.get(URL))


def test_only_its_owner_can_read_what_is_stored(anyone, large, downloads):
    anyone.get(URL)

    [file] = downloads.iterdir()
    assert oct(downloads.stat().st_mode) == "0o40700"
    assert oct(file.stat().st_mode) == "0o100600"


@pytest.mark.parametrize("size", [0, 1000, 2 * MIB])
def test_a_file_of_another_size_is_written_anew(anyone, large, downloads, size):
    anyone.get(URL)
    [file] = downloads.iterdir()
    os.truncate(file, size)

    assert is_archive(anyone.get(URL))
    assert [one.stat().st_size for one in downloads.iterdir()] == [large.archive_size]


def test_a_folder_that_has_gone_is_made_anew(anyone, large, downloads):
    anyone.get(URL)
    [file] = downloads.iterdir()
    file.unlink()
    downloads.rmdir()

    assert is_archive(anyone.get(URL))


def test_the_least_recently_read_are_removed(anyone, settings, downloads):
    settings.DOWNLOAD_BYTES = 5 * MIB
    for slug in "abc":
        SkillFactory(slug=slug, files={name: slug.encode() * MIB for name in "xy"})

    for slug in "abac":
        assert is_archive(anyone.get(f"/api/v1/skills/{slug}/archive.zip"), slug)
        for file in downloads.iterdir():
            os.utime(file, (0, file.stat().st_mtime - 10))  # ten seconds ago

    assert {file.name for file in downloads.iterdir()} == {
        f"{Skill.objects.get(slug=slug).digest}.zip" for slug in "ac"
    }


def test_a_file_removed_while_it_is_sent_is_sent_whole(anyone, large, downloads, monkeypatch):
    opened = stored_files.open_stored

    def open_and_remove(*arguments):
        file = opened(*arguments)
        [path] = downloads.iterdir()
        path.unlink()
        return file

    monkeypatch.setattr("marketplace.api.file_responses.open_stored", open_and_remove)

    assert is_archive(anyone.get(URL))


def test_a_folder_of_somebody_else_is_not_used(anyone, large, downloads, tmp_path, caplog):
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    downloads.symlink_to(other)

    assert_unavailable(anyone.get(URL))
    assert list(other.iterdir()) == []
    cause = f"StoreUnavailable: {downloads} is not a folder of this user alone"
    assert caplog.messages == [f"Service Unavailable: {URL}: {cause}"]


def test_a_folder_that_others_may_write_to_is_not_used(anyone, large, downloads):
    downloads.mkdir()
    downloads.chmod(0o777)

    assert_unavailable(anyone.get(URL))


def test_without_room_it_is_refused_and_nothing_is_left(anyone, large, downloads, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)

    assert_unavailable(anyone.get(URL))
    assert list(downloads.iterdir()) == []


def test_a_request_waits_for_its_turn_to_write_but_not_for_long(anyone, large, monkeypatch):
    anyone.get(URL)
    SkillFactory(slug="other", files={"a": b"a" * 100_000})
    monkeypatch.setattr(stored_files, "MAX_WAIT", 0.01)

    with stored_files.turn:
        assert_unavailable(anyone.get("/api/v1/skills/other/archive.zip"))
        assert is_archive(anyone.get(URL))


def test_many_at_once_write_it_once(transactional_db, anyone, large, monkeypatch):
    replaced, replace = [], Path.replace
    monkeypatch.setattr(Path, "replace", lambda *paths: replaced.append(paths) or replace(*paths))

    def get(_):
        try:
            return anyone.get(URL)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        responses = list(pool.map(get, range(8)))

    assert all(map(is_archive, responses))
    assert len(replaced) == 1
