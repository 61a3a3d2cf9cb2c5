"""Modules that a worker imports before requests come, so that no request waits for them."""

import json
import os
import subprocess
import sys

import pytest

from demo.postgres import CHECKOUT
from tests.interfaces.mcp_calls import HELLO
from tests.live import url_of_test_database

pytestmark = pytest.mark.servers

FIRST_MESSAGES = """
import io, json, sys
from marketplace.wsgi import application

def respond(message):
    body, statuses = json.dumps(message).encode(), []
    environ = {
        "REQUEST_METHOD": "POST", "PATH_INFO": "/mcp", "QUERY_STRING": "", "HTTP_HOST": "localhost",
        "SERVER_NAME": "localhost", "SERVER_PORT": "80", "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)),
        "HTTP_MCP_PROTOCOL_VERSION": "2025-06-18",
        "wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr, "wsgi.url_scheme": "http",
    }
    content = b"".join(application(environ, lambda status, headers: statuses.append(status)))
    assert statuses == ["200 OK"] and b'"result"' in content, content

imported = set(sys.modules)
for message in json.loads(sys.argv[1]):
    respond(message)
print(sorted(set(sys.modules) - imported))
"""
NO_GIT = """
import sys, django
django.setup()
from django.core.management import call_command
call_command("check")
print("dulwich" in sys.modules)
"""
WITHOUT_GIT = """
import sys
from marketplace.wsgi import application
print("dulwich" in sys.modules)
"""

FOR_SEVERAL_SERVERS = """
import threading
from marketplace.wsgi import application
from django.db import connection
from infrastructure.db.statements import fetch_one
assert connection.Database.connect and fetch_one("SELECT 1")
names = [thread.name for thread in threading.enumerate()]
print([name for name in names if name.startswith("watches")])
"""


@pytest.mark.django_db(transaction=True)
def test_a_worker_has_imported_what_its_first_messages_need():
    call = {"name": "search_skills", "arguments": {"query": "pdf"}}
    methods = {"initialize": HELLO, "tools/list": {}, "tools/call": call}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        for method, params in methods.items()
    ]

    assert run_program(FIRST_MESSAGES, json.dumps(messages)) == "[]"


def test_a_management_command_does_not_import_git(db):
    assert run_program(NO_GIT) == "False"


@pytest.mark.contract("27.2")
@pytest.mark.parametrize("value", ["true", "false"])
def test_git_is_imported_only_where_it_is_served(db, value):
    assert run_program(WITHOUT_GIT, GIT=value) == str(value == "true")


@pytest.mark.infrastructure
@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "[]"),
        ({"DATABASE_REPLICA_URL": "postgres://nobody@127.0.0.1:1/none"}, "['watches waits']"),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_a_thread_watches_servers_where_there_are_several(variables, expected):
    assert run_program(FOR_SEVERAL_SERVERS, **variables) == expected


def run_program(program, *arguments, **variables):
    """The last line that the program prints."""
    process = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "DATABASE_URL": url_of_test_database(),
            "DJANGO_SETTINGS_MODULE": "marketplace.settings",
            **variables,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return process.stdout.splitlines()[-1]
