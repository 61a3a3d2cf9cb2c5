"""Archives and files that a real server sends from its folder, with each class of worker."""

import http.client
import os
import secrets
from hashlib import sha256

import pytest

from catalogue.models import Skill
from tests.deployment.conftest import ONE_PROCESS
from tests.factories import SkillFactory
from tests.processes import is_within, workers_of

ARCHIVE = "/api/v1/skills/large/archive.zip"
FOLDER = f"marketplace-downloads-{os.geteuid()}"
MIB = 1024 * 1024


@pytest.fixture(autouse=True)
def large(transactional_db):
    SkillFactory(slug="large", files={f"{n}.bin": secrets.token_bytes(MIB) for n in range(7)})


@pytest.fixture
def own_server(own_server_of, worker_class):
    return own_server_of(**ONE_PROCESS, WORKER_CLASS=worker_class)


def open_files(server):
    """The files of the folder that its workers have open."""
    paths = [file.path for worker in workers_of(server) for file in worker.open_files()]
    return [path for path in paths if FOLDER in path]


def test_an_archive_is_sent_whole_and_in_parts_on_one_connection(server):
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)

    def get(method="GET", **headers):
        link.request(method, ARCHIVE, headers=headers)
        response = link.getresponse()
        return response.status, response.read(), response.headers

    status, archive, headers = get()
    size = len(archive)
    digest = Skill.objects.get().archive_digest
    assert (status, f"sha256:{sha256(archive).hexdigest()}") == (200, digest)
    assert get("HEAD")[:2] == (200, b"")
    assert get(Range="bytes=5-9")[:2] == (206, archive[5:10])
    assert get(Range=f"bytes={MIB}-")[:2] == (206, archive[MIB:])
    assert get(Range=f"bytes={size}-")[0] == 416
    assert get(**{"If-None-Match": headers["ETag"]})[:2] == (304, b"")
    assert get("HEAD", Range="bytes=1-2")[2]["Content-Length"] == str(size)
    link.close()


def test_no_file_stays_open(own_server):
    size = len(own_server.request("GET", ARCHIVE).body)
    own_server.request("HEAD", ARCHIVE)
    for first in (1, size):
        own_server.request("GET", ARCHIVE, headers={"Range": f"bytes={first}-"})
    with own_server.connect() as link:
        link.sendall(f"GET {ARCHIVE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert link.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")
    # The client left in the middle.

    assert is_within(60, lambda: open_files(own_server) == [])


def test_the_log_has_the_bytes_that_are_sent_from_a_file(own_server):
    size = len(own_server.request("GET", ARCHIVE).body)
    own_server.request("GET", ARCHIVE, headers={"Range": "bytes=1-100"})
    own_server.request("HEAD", ARCHIVE)

    assert is_within(60, lambda: '"HEAD ' in own_server.log.read_text())
    log = own_server.log.read_text()
    assert f'"GET {ARCHIVE}" 200 {size} ' in log
    assert f'"GET {ARCHIVE}" 206 100 ' in log
    assert f'"HEAD {ARCHIVE}" 200 0 ' in log
