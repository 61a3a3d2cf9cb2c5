"""Files that are written once and sent in parts."""

import pytest

from infrastructure.http_cache import stored_files
from infrastructure.http_cache.stored_files import StoredFile, StoreUnavailable, open_stored


def test_it_is_written_once(downloads):
    calls = []

    def write(file):
        calls.append(file.write(b"content"))

    for _ in range(2):
        with open_stored("name", 7, write) as file:
            assert (file.read(), file.size) == (b"content", 7)

    assert calls == [7]
    assert [path.name for path in downloads.iterdir()] == ["name"]


@pytest.mark.parametrize(
    ("size", "write"),
    [(8, lambda file: file.write(b"content")), (7, lambda file: file.truncate(-1))],
    ids=["of another size", "that cannot be written"],
)
def test_a_file_is_unavailable(downloads, size, write):
    with pytest.raises(StoreUnavailable):
        open_stored("name", size, write)

    assert not stored_files.turn.locked()


@pytest.mark.parametrize(
    ("part", "sizes", "read"),
    [
        (slice(0, 10), [-1], [b"0123456789"]),
        (slice(2, 5), [-1], [b"234"]),
        (slice(2, 5), [2, 2, 2], [b"23", b"4", b""]),
        (slice(5, 5), [-1], [b""]),
    ],
)
def test_a_part_is_read(tmp_path, part, sizes, read):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")

    with StoredFile(path) as file:
        file.limit_to(part)
        assert [file.read(size) for size in sizes] == read


def test_room_is_made_of_what_nobody_has_read_for_longest(tmp_path):
    for name, age in (("new", 3), ("old", 1), ("middle", 2)):
        path = tmp_path / name
        path.write_bytes(b"x" * 10)
        stored_files.os.utime(path, (age, age))

    stored_files.make_room(tmp_path, 25)

    assert {path.name for path in tmp_path.iterdir()} == {"new", "middle"}
