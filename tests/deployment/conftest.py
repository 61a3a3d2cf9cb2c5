"""Servers with either class of worker, demos of checkouts, and the doctor."""

import re
import shutil
import tempfile
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from marketplace import doctor
from tests.checkouts import Demo
from tests.live import LiveServer
from tests.processes import is_within, workers_of
from tests.sockets import has_no_connections

THREADS = 2
ONE_PROCESS = {"WEB_CONCURRENCY": "1", "WEB_THREADS": str(THREADS)}
OURS = "infrastructure.server.worker.Worker"


def infrastructure(worker_class):
    return pytest.param(worker_class, marks=pytest.mark.infrastructure)


# gunicorn's own worker waits in a thread for the first data of a new connection.
ours = pytest.mark.parametrize("worker_class", [infrastructure(OURS)], indirect=True)

impatient = pytest.mark.parametrize(
    "worker_class", [infrastructure("tests.impatient_worker.Worker")], indirect=True
)
gthread = pytest.param("gthread", marks=[] if settings.PLAIN else pytest.mark.slow)


@pytest.fixture(params=[infrastructure(OURS), gthread])
def worker_class(request):
    return request.param


@pytest.fixture
def server(live_server_of, worker_class):
    """The marketplace in one process of two threads, for tests that leave it unchanged."""
    return live_server_of(**ONE_PROCESS, RATE_LIMIT_REGISTER="1000/h", WORKER_CLASS=worker_class)


@pytest.fixture
def plain_server_of(tmp_path, worker_class):
    """`plain_server_of(options)`: the same threads, with these options of gunicorn's.

    They serve a small application, because importing Django takes longer than such a test.
    """
    logs = (tmp_path / f"plain-server-{number}.log" for number in count())
    with ExitStack() as servers:

        def start(options="", application="tests.wsgi_apps:minimal"):
            environment = ONE_PROCESS | {"GUNICORN_CMD_ARGS": options, "WORKER_CLASS": worker_class}
            server = servers.enter_context(LiveServer(next(logs), environment, application))
            # The connection of the readiness check is closed.
            assert is_within(30, lambda: has_no_connections(server))
            return server

        yield start


def worker_of(server):
    [worker] = workers_of(server)
    return worker


@pytest.fixture(scope="module")
def new_folder():
    """Folders that any user of the machine may enter, unlike pytest's."""
    made = []

    def new_folder():
        made.append(Path(tempfile.mkdtemp(prefix="demo-")).resolve())
        made[-1].chmod(0o755)
        return made[-1]

    yield new_folder
    for folder in made:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def demos(new_folder):
    """Every demo that a test starts, so that none outlives the tests."""
    demos = []
    yield demos
    for demo in demos:
        demo.clean_up()


@pytest.fixture(scope="module")
def demo_in(demos):
    """A demo in a folder: `demo_in(folder)`."""

    def demo_in(folder):
        demos.append(Demo(folder))
        return demos[-1]

    return demo_in


@pytest.fixture
def lines(monkeypatch, capsys, db):
    """The lines of one check of `manage.py doctor` in this process: `lines("clocks")`."""

    def lines(name, **options):
        with suppress(SystemExit):
            call_command("doctor", **options)
        text = capsys.readouterr().out
        return re.findall(rf"^(?:ok|FIX|-) +{name} +(.*)$", text, re.MULTILINE)

    # The tests' own settings are no deployment's.
    monkeypatch.setattr(doctor.checks, "run_checks", lambda **_: [])
    return lines
