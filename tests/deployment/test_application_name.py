"""pg_stat_activity tells web processes and commands apart."""

import pytest
from django.db import connection

from tests.imports import manage
from tests.live import url_of_test_database

pytestmark = [pytest.mark.servers, pytest.mark.both_modes]

SHOW = """
from django.db import connection
connection.ensure_connection()
print(connection.connection.info.parameter_status("application_name"))
"""


def names():
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT application_name FROM pg_stat_activity")
        return {name for (name,) in cursor.fetchall()}


def test_a_web_process_is_named_so(live_server_of):
    live_server_of().request("GET", "/api/v1/skills")

    assert "marketplace web" in names()


def test_the_database_url_may_name_it(own_server_of):
    own_server_of(DATABASE_URL=f"{url_of_test_database()}?application_name=blue")

    assert "blue" in names()


def test_a_command_has_its_own_name(transactional_db):
    done = manage("shell", "--no-imports", "-c", SHOW)

    assert done.stdout.strip() == "marketplace manage.py shell"
