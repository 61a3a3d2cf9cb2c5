"""Parts of a file or an archive, by `Range` and `If-Range` (RFC 9110, 13.1.5 and 14)."""

import pytest

from tests.factories import SkillFactory

pytestmark = pytest.mark.django_db
SMALL = bytes(range(256)) * 4
LARGE = bytes(reversed(range(256))) * 800  # too large to be sent from memory
SKILL = "/api/v1/skills/small"
# One is sent from memory, the other from a file.
URLS = [
    *(f"{SKILL}/files/a.bin", f"{SKILL}/archive.zip"),
    *("/api/v1/skills/large/files/a.bin", "/api/v1/skills/large/archive.zip"),
]


@pytest.fixture(autouse=True)
def skills(db, downloads):
    SkillFactory(slug="small", files={"a.bin": SMALL, "empty": b""})
    SkillFactory(slug="large", files={"a.bin": LARGE})


@pytest.fixture(params=URLS)
def url(request):
    return request.param


def part_of(size, range_):
    """The first byte and the end of a range of so many bytes, written as `1-2`, `1-` or `-2`."""
    first, _, last = range_.partition("-")
    if not first:
        return max(size - int(last), 0), size
    return int(first), min(int(last) + 1, size) if last else size


RANGES = ["0-0", "0-", "1-99", "300-", "5-999999999", f"0-{10**17}", "-1", "-999999999"]


@pytest.mark.contract("17.9")
def test_a_range_is_sent_alone(anyone, url, subtests):
    whole = anyone.get(url)
    for range_ in RANGES:
        with subtests.test(range_):
            start, end = part_of(len(whole.content), range_)

            part = anyone.get(url, headers={"Range": f"bytes={range_}"})

            assert (part.status_code, part.content) == (206, whole.content[start:end])
            assert dict(part.headers) == dict(whole.headers) | {
                "Content-Length": str(end - start),
                "Content-Range": f"bytes {start}-{end - 1}/{len(whole.content)}",
            }
            assert whole.headers["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize("start", ["BYTES=", "bytes= "])
def test_the_unit_has_no_case_and_may_be_followed_by_spaces(anyone, start):
    part = anyone.get(URLS[0], headers={"Range": f"{start}1-2 "})

    assert (part.status_code, part.content) == (206, SMALL[1:3])


@pytest.mark.contract("17.9")
def test_a_range_behind_the_end_is_refused_with_the_size(anyone, url, subtests):
    size = len(anyone.get(url).content)

    for range_ in ["{}-", "{}-{}", "999999999-", "-0"]:
        with subtests.test(range_):
            refused = anyone.get(url, headers={"Range": f"bytes={range_.format(size, size)}"})

            assert refused.status_code == 416
            assert refused.json() == {"error": "Range is outside the file"}
            assert refused.headers["Content-Range"] == f"bytes */{size}"


IGNORED = [
    *("bytes=0-1,3-4", "bytes=0-1, -1", "lines=0-1", "bytes=2-1", "bytes=-", "bytes=", "0-1"),
    *("bytes=a-b", "bytes=--1", "bytes=+1-2", "bytes=1_0-20", "bytes=٣-٤", "bytes=0x1-", ""),
    f"bytes={'9' * 5000}-",
]


def test_several_ranges_and_what_is_no_range_are_ignored(anyone, subtests):
    for value in IGNORED:
        with subtests.test(value):
            response = anyone.get(URLS[0], headers={"Range": value})

            assert (response.status_code, response.content) == (200, SMALL)
            assert dict(response.headers) == dict(anyone.get(URLS[0]).headers)


def test_an_empty_file_is_sent_whole(anyone):
    response = anyone.get(f"{SKILL}/files/empty", headers={"Range": "bytes=0-"})

    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.contract("17.9")
def test_an_if_range_of_the_same_etag_gets_the_part(anyone, url):
    etag = anyone.get(url).headers["ETag"]

    part = anyone.get(url, headers={"Range": "bytes=1-2", "If-Range": etag})

    assert (part.status_code, len(part.content)) == (206, 2)


OTHERS = ['"other"', "W/{}", "{}, {}", "*", "", "Mon, 23 Nov 2026 18:17:10 GMT"]


@pytest.mark.contract("17.9")
def test_any_other_if_range_gets_the_whole(anyone, subtests):
    etag = anyone.get(URLS[0]).headers["ETag"]

    for value in OTHERS:
        for range_ in ["1-2", "999999999-"]:
            with subtests.test(f"{value} {range_}"):
                headers = {"Range": f"bytes={range_}", "If-Range": value.format(etag, etag)}

                response = anyone.get(URLS[0], headers=headers)

                assert (response.status_code, response.content) == (200, SMALL)


@pytest.mark.parametrize("range_", ["1-2", "999999999-"])
def test_an_unchanged_file_is_a_304_whatever_range_is_asked_for(anyone, url, range_):
    etag = anyone.get(url).headers["ETag"]

    unchanged = anyone.get(url, headers={"Range": f"bytes={range_}", "If-None-Match": etag})

    assert (unchanged.status_code, unchanged.content) == (304, b"")


@pytest.mark.parametrize("range_", ["1-2", "999999999-"])
def test_head_tells_of_the_whole_and_reads_no_content(
    anyone, url, range_, django_assert_num_queries
):
    whole = anyone.get(url)

    with django_assert_num_queries(1):
        head = anyone.head(url, headers={"Range": f"bytes={range_}"})

    assert (head.status_code, head.content) == (200, b"")
    assert dict(head.headers) == dict(whole.headers)
