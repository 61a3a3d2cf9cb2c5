"""Health checks: on any host, without the database, and with another clock"""

import time

import pytest
from django.db import InterfaceError, OperationalError, connection

from marketplace.middleware.health import clocks
from tests.api.test_errors import assert_error


@pytest.mark.contract("24.7")
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_is_answered_on_any_host(anyone, path):
    assert anyone.get(path, headers={"Host": "10.0.0.7"}).status_code == 200


@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("closed")])
def test_a_server_without_its_database_is_not_ready_but_starts(anyone, monkeypatch, error):
    def unreachable():
        raise error

    monkeypatch.setattr("marketplace.middleware.health.clock_difference", unreachable)

    assert_error(anyone.get("/readyz"), 503, "Database is not reachable")
    monkeypatch.setattr(connection, "close", lambda: None)
    clocks.compare_at_start()


@pytest.mark.parametrize(("shift", "words"), [(7, "7 seconds ahead of"), (-7, "7 seconds behind")])
def test_a_clock_that_differs_from_the_databases_is_logged(
    anyone, monkeypatch, caplog, shift, words
):
    monkeypatch.setattr("marketplace.middleware.health.clocks.agree", True)
    clock = time.time
    for host_time in (clock, lambda: clock() + shift, lambda: clock() + shift, clock, clock):
        monkeypatch.setattr("marketplace.middleware.health.time.time", host_time)
        assert anyone.get("/readyz").status_code == 200

    assert [record.message for record in caplog.records] == [
        f"the clock of this host is {words} that of the database: synchronize both",
        "the clocks of this host and of the database agree again",
    ]
