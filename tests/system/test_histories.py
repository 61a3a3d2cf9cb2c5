"""Row versions repeat after a failover that lost a write, and in a restored database or disk."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from demo.postgres import USER, Postgres
from tests.live import LiveServer
from tests.processes import is_within
from tests.system.test_failover import Pair

pytestmark = pytest.mark.slow

READS = 40  # by all threads of all processes
CAUGHT_UP = "SELECT replay_lsn = pg_current_wal_lsn() FROM pg_stat_replication"
OTHERS = "/api/v1/skills?limit=1"


class ServedPersona:
    """One persona, read from a server and edited in one database or another."""

    def __init__(self, server, slug):
        self.server = server
        self.slug = slug

    def edit(self, postgres, cents, *, at=None):
        """Set the price, in the transaction of that number; returns the version of the row."""
        with psycopg.connect(postgres.url) as link:
            # The server writes, too: the transaction that got the number makes the edit.
            while at and number_of(link) < at:
                link.rollback()
            [version] = link.execute(
                "UPDATE catalogue_persona SET price_cents = %s WHERE slug = %s "
                "RETURNING pg_current_xact_id()::text::int, ctid::text",
                [cents, self.slug],
            ).fetchall()
        return version

    def etag(self):
        return self.read()[0].headers["ETag"]

    def read(self, **headers):
        """The responses to enough reads to reach every thread."""
        return self.read_path(f"/api/v1/personas/{self.slug}", headers)

    def read_others(self):
        return self.read_path(OTHERS, {})

    def read_path(self, path, headers):
        with ThreadPoolExecutor(8) as pool:
            return list(
                pool.map(lambda _: self.server.request("GET", path, headers=headers), range(READS))
            )


def number_of(link):
    """The number of the transaction, which takes the next one if it has none."""
    [(number,)] = link.execute("SELECT pg_current_xact_id()::text::int").fetchall()
    return number


def prices(responses):
    """The prices in the responses, or their statuses."""
    return {
        response.json()["priceCents"] if response.status == 200 else response.status
        for response in responses
    }


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    with Pair(tmp_path_factory.mktemp("histories")) as pair:
        yield pair


def test_a_failover_that_loses_a_write(pair):
    persona = ServedPersona(pair.server, pair.catalogue["personas"][0])
    pair.add_standby(is_synchronous=False)
    assert is_within(60, lambda: pair.rows(CAUGHT_UP) == [(True,)])
    pair.standby.stop()
    [(last,)] = pair.rows("SELECT pg_current_xact_id()::text::int")
    lost = persona.edit(pair.postgres, 500, at=last + 100)
    etag = persona.etag()
    assert prices(persona.read()) == {500}

    pair.postgres.stop()
    pair.standby.start()
    pair.promote()
    assert is_within(60, lambda: {r.status for r in persona.read_others()} == {200})
    assert persona.edit(pair.postgres, 900, at=last + 100) == lost

    assert prices(persona.read()) == {900}
    assert prices(persona.read(**{"If-None-Match": etag})) == {900}
    assert prices(persona.read(**{"If-None-Match": persona.etag()})) == {304}


@pytest.fixture
def replica(pair, tmp_path):
    """A replica beside the standby."""
    pair.add_standby(is_synchronous=False)
    replica = Postgres(tmp_path / "replica", durable=True)
    replica.follow(pair.postgres)
    yield replica
    replica.stop()
    shutil.rmtree(replica.socket, ignore_errors=True)


@pytest.fixture
def reader(pair, replica, tmp_path):
    """A server that serves public reads from the replica."""
    environment = pair.server.environment | {"DATABASE_REPLICA_URL": replica.url}
    server = LiveServer(tmp_path / "reader.log", environment)
    server.environment["PORT"] = str(server.port)
    with server:
        yield server


def test_a_replica_that_has_received_what_a_failover_lost(pair, replica, reader):
    # To the same host, because an ETag depends on it.
    host = {"Host": "127.0.0.1"}
    slug = pair.catalogue["personas"][2]
    persona, on_primary = ServedPersona(reader, slug), ServedPersona(pair.server, slug)
    assert is_within(60, lambda: pair.rows(CAUGHT_UP) == [(True,)] * 2)
    pair.standby.stop()
    [(last,)] = pair.rows("SELECT pg_current_xact_id()::text::int")
    lost = persona.edit(pair.postgres, 500, at=last + 100)
    assert is_within(60, lambda: pair.rows(CAUGHT_UP) == [(True,)])
    etags = {r.headers["ETag"] for r in persona.read(**host) + on_primary.read(**host)}
    assert len(etags) == 1

    pair.postgres.stop()
    pair.standby.start()
    pair.promote()
    assert is_within(60, lambda: {r.status for r in persona.read_others()} == {200})
    assert persona.edit(pair.postgres, 900, at=last + 100) == lost
    left_out = "replica-0 cannot be read: it does not follow the primary"
    assert is_within(60, lambda: left_out in reader.log.read_text())
    # Each worker watches for itself, so one may notice a moment after the other.
    assert is_within(60, lambda: prices(persona.read(**host)) == {900})

    assert prices(persona.read(**host, **{"If-None-Match": etags.pop()})) == {900}

    replica.follow(pair.postgres)
    assert is_within(60, lambda: "replica-0 can be read again" in reader.log.read_text())


@pytest.fixture
def restored(pair, tmp_path):
    """Another cluster, at the address of the standby."""
    pair.standby.stop()
    restored = Postgres(tmp_path / "restored", durable=True)
    restored.socket = pair.standby.socket
    yield restored
    restored.stop()
    pair.postgres.start()


def test_a_database_that_is_restored_into_another_cluster(pair, restored, tmp_path):
    persona, dump = ServedPersona(pair.server, pair.catalogue["personas"][1]), tmp_path / "dump.sql"
    persona.edit(pair.postgres, 0)
    with psycopg.connect(pair.postgres.url, autocommit=True) as link:
        # Rows are where COPY will put them.
        link.execute("VACUUM FULL catalogue_persona")
    connect = ("-h", pair.postgres.socket, "-U", USER, "-d", "postgres")
    pair.postgres.run("pg_dump", *connect, "-f", dump)
    [(last,)] = pair.rows("SELECT pg_current_xact_id()::text::int")
    later = persona.edit(pair.postgres, 500, at=last + 100)
    etag = persona.etag()
    assert prices(persona.read()) == {500}

    pair.postgres.stop()
    restored.start()
    connect = ("-h", restored.socket, "-U", USER, "-d", "postgres")
    restored.run("psql", *connect, "-q", "-1", "-v", "ON_ERROR_STOP=1", "-f", dump)
    assert is_within(60, lambda: {r.status for r in persona.read_others()} == {200})
    assert persona.edit(restored, 900, at=last + 100) == later

    assert prices(persona.read()) == {900}
    assert prices(persona.read(**{"If-None-Match": etag})) == {900}


def test_a_disk_snapshot_that_is_put_back(pair, tmp_path):
    """The same cluster, on the same timeline."""
    persona, snapshot = (
        ServedPersona(pair.server, pair.catalogue["personas"][3]),
        tmp_path / "snapshot",
    )
    pair.postgres.stop()
    subprocess.run(["cp", "-a", pair.postgres.data, snapshot], check=True)
    pair.postgres.start()
    assert is_within(60, lambda: {r.status for r in persona.read_others()} == {200})
    [(last,)] = pair.rows("SELECT pg_current_xact_id()::text::int")
    lost = persona.edit(pair.postgres, 500, at=last + 100)
    etag = persona.etag()
    assert prices(persona.read()) == {500}

    pair.postgres.stop()
    shutil.rmtree(pair.postgres.data)
    subprocess.run(["cp", "-a", snapshot, pair.postgres.data], check=True)
    pair.postgres.start()
    assert is_within(60, lambda: {r.status for r in persona.read_others()} == {200})
    assert persona.edit(pair.postgres, 900, at=last + 100) == lost

    assert prices(persona.read()) == {900}
    assert prices(persona.read(**{"If-None-Match": etag})) == {900}
    assert prices(persona.read(**{"If-None-Match": persona.etag()})) == {304}
