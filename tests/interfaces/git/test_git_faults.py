"""Slow clients, and servers that are killed (contract 27.11)."""

import os
import select
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from django.db import connection, transaction

from tests.api.concurrency import wait_until_they_wait
from tests.factories import SkillFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_git_http import REFS, SKILL, line

MIB = 1024 * 1024
THREADS = 2
LOCK_SECONDS = 2  # that other requests wait for a lock


@pytest.fixture
def large_skill(transactional_db):
    files = {f"{number}.bin": os.urandom(MIB) for number in range(7)}
    return SkillFactory(slug="pdf-tables", files=files)


def head_of(server, git):
    return git("ls-remote", address(server, "skills/pdf-tables"), "HEAD").split()[0]


@pytest.mark.contract("27.11")
@pytest.mark.infrastructure
@pytest.mark.parametrize("bytes_a_second", [0, 1])
def test_a_slow_reader_holds_no_thread(own_server_of, git, large_skill, bytes_a_second):
    server = own_server_of(WEB_THREADS=str(THREADS))
    body = line(f"want {head_of(server, git)}\n") + b"0000" + line("done\n")
    head = f"POST {SKILL}/git-upload-pack HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: "
    request = f"{head}{len(body)}\r\n\r\n".encode() + body

    with ExitStack() as stack:
        links = [stack.enter_context(socket.socket()) for _ in range(3 * THREADS)]
        for link in links:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.connect(("127.0.0.1", server.port))
            link.sendall(request)
            assert link.recv(15) == b"HTTP/1.1 200 OK"

        for _ in range(3 * bytes_a_second):
            assert all(link.recv(1) for link in links)
            assert server.request("GET", "/api/v1/skills/pdf-tables").status == 200
            time.sleep(1)
        assert server.request("GET", "/api/v1/skills/pdf-tables").status == 200
        git("clone", "--depth", "1", address(server, "skills/pdf-tables"))


@pytest.mark.infrastructure
def test_a_slow_fetch_keeps_no_other_request_waiting(own_server_of, transactional_db):
    SkillFactory(slug="pdf-tables")
    server = own_server_of(WEB_CONCURRENCY="1", WEB_THREADS="1")

    with ThreadPoolExecutor() as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE git_repository")
            fetches = [pool.submit(server.request, "GET", f"{SKILL}{REFS}") for _ in range(3)]
            wait_until_they_wait(1)

            assert server.request("GET", "/api/v1/skills/pdf-tables").status == 200
            assert not any(fetch.done() for fetch in fetches)
        assert [fetch.result().status for fetch in fetches] == [200, 200, 200]


@pytest.mark.contract("27.11")
def test_a_fetch_waits_for_a_purge(live_server_of, transactional_db):
    """Longer than other requests wait: a purge may wait for the commits of a large catalogue."""
    SkillFactory(slug="pdf-tables")
    server = live_server_of()

    with ThreadPoolExecutor() as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock('git_repository'::regclass::oid::int, 0)")
            fetch = pool.submit(server.request, "GET", f"{SKILL}{REFS}")
            wait_until_they_wait(1)
            time.sleep(LOCK_SECONDS + 0.5)
        assert fetch.result().status == 200


@pytest.mark.infrastructure
@pytest.mark.parametrize("start", ["/%67it/", "/git%2F", "http://127.0.0.1/git/"])
def test_no_spelling_of_the_path_takes_another_thread(own_server_of, transactional_db, start):
    SkillFactory(slug="pdf-tables")
    server = own_server_of(WEB_CONCURRENCY="1", WEB_THREADS="1")
    request = f"GET {start}skills/pdf-tables.git{REFS} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    with transaction.atomic(), connection.cursor() as cursor, socket.socket() as link:
        cursor.execute("LOCK TABLE git_repository")
        link.connect(("127.0.0.1", server.port))
        link.sendall(request.encode())
        wait_until_they_wait(1)

        assert server.request("GET", "/api/v1/skills/pdf-tables").status == 200
        assert select.select([link], [], [], 0)[0] == []  # The fetch is still waiting.


@pytest.mark.contract("27.11")
@pytest.mark.infrastructure
def test_a_long_request_waits_for_its_turn_too(own_server_of, transactional_db):
    SkillFactory(slug="pdf-tables")
    server = own_server_of(WEB_CONCURRENCY="1", WEB_THREADS="1")
    body = b"".join(line(f"want {number:040x}\n") for number in range(5_000)) + b"0000"
    head = f"POST {SKILL}/git-upload-pack HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: "

    with transaction.atomic(), connection.cursor() as cursor, socket.socket() as link:
        cursor.execute("LOCK TABLE git_repository")
        link.connect(("127.0.0.1", server.port))
        link.sendall(f"{head}{len(body)}\r\n\r\n".encode() + body[:-1])
        assert server.request("GET", "/api/v1/skills/pdf-tables").status == 200
        link.sendall(body[-1:])
        wait_until_they_wait(1)

        assert server.request("GET", "/api/v1/skills/pdf-tables").status == 200
        assert select.select([link], [], [], 0)[0] == []  # The request is still waiting.


@pytest.mark.infrastructure
def test_a_hundred_fetches_wait_and_more_are_refused(own_server_of, transactional_db):
    SkillFactory(slug="pdf-tables")
    server = own_server_of(WEB_CONCURRENCY="1", WEB_THREADS="1")
    request = f"GET {SKILL}{REFS} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()

    with ExitStack() as links:

        def fetch():
            link = links.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            link.sendall(request)
            return link

        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE git_repository")
            first = fetch()
            wait_until_they_wait(1)
            for _ in range(100):
                fetch()

            assert server.request("GET", "/api/v1/skills/pdf-tables").status == 200
            assert server.request("GET", f"{SKILL}{REFS}").status == 503
        assert first.recv(15) == b"HTTP/1.1 200 OK"


@pytest.mark.contract("27.7")
def test_a_server_that_is_killed_between_refs_and_pack_loses_nothing(own_server_of, git):
    skill = SkillFactory(slug="pdf-tables", content="# First\n")
    server = own_server_of()
    head = head_of(server, git)
    skill.content = "# Second\n"
    skill.save()
    server.process.kill()
    server.process.wait()

    other = own_server_of()
    newer = head_of(other, git)
    git("init", "--quiet", "later")
    git("fetch", address(other, "skills/pdf-tables"), head, within="later")

    assert newer != head
    assert "# First" in git("show", f"{head}:SKILL.md", within="later")
    git("fetch", address(other, "skills/pdf-tables"), within="later")
    assert git("rev-parse", f"{newer}~1", within="later").strip() == head
    git("fsck", "--strict", within="later")
