"""The databases in the environment, and the options of their connections (contract 24.3)"""

import os
from unittest.mock import patch

import pytest

from marketplace import environment
from tests.environments import PRODUCTION, SETTINGS, read


def database_of(url):
    return read(SETTINGS, DATABASE_URL=url)["DATABASES"]["default"]


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_the_database_is_read_with_its_options(scheme):
    url = PRODUCTION["DATABASE_URL"].replace("postgres", scheme).replace("hunter2", "a%2Fb%40c")

    database = database_of(url)

    assert database["ENGINE"] == "infrastructure.db"
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("db.example", 5433, "market")
    assert (database["USER"], database["PASSWORD"]) == ("market", "a/b@c")
    assert database["OPTIONS"]["sslmode"] == "require"


def test_a_socket_folder_can_be_the_host_of_the_database():
    url = "postgres://market@%2Fvar%2Frun%2Fpostgresql/market"

    database = database_of(url)

    assert (database["HOST"], database["NAME"]) == ("/var/run/postgresql", "market")


@pytest.mark.parametrize(
    ("hosts", "host", "port"),
    [
        ("one.example:5433,two.example:5434", "one.example,two.example", "5433,5434"),
        ("one.example,two.example:5434", "one.example,two.example", ",5434"),
        ("[fd00::1]:5433,[fd00::2]", "fd00::1,fd00::2", "5433,"),
        ("%2Frun%2Fone,%2Frun%2Ftwo", "/run/one,/run/two", ","),
    ],
)
def test_the_database_may_have_several_hosts(hosts, host, port):
    url = f"postgres://market:a,b@{hosts}/market?target_session_attrs=read-write"

    database = database_of(url)

    assert (database["HOST"], database["PORT"], database["NAME"]) == (host, port, "market")
    assert database["PASSWORD"] == "a,b"
    assert database["OPTIONS"]["target_session_attrs"] == "read-write"


@pytest.mark.parametrize(
    ("variables", "options"),
    [
        ({}, environment.TIMEOUTS),
        ({"PGOPTIONS": "", "DATABASE_TIMEOUTS": ""}, environment.TIMEOUTS),
        ({"DATABASE_TIMEOUTS": "none"}, ""),
        ({"PGOPTIONS": "-c statement_timeout=9s"}, "-c statement_timeout=9s"),
    ],
)
def test_a_worker_asks_the_database_for_timeouts(variables, options):
    with patch.dict(os.environ, variables):
        assert environment.startup_options() == options
