"""A reload takes up whatever release is in the checkout now, and nothing in it ends the server."""

import os
import signal
from contextlib import contextmanager, suppress

import psutil
import pytest

from tests.checkouts import bare_checkout
from tests.live import LiveServer
from tests.processes import is_within, workers_of
from tests.system.workers import Readers

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]

WORKERS = 2
SYNTAX = "SyntaxError: invalid syntax"
INFRASTRUCTURE = "infrastructure/server"
# A file, the text at its end with which the release does not start, and why it does not.
BROKEN = {
    "settings": (
        "marketplace/settings.py",
        "PORT = environment.unheard_of('PORT')",
        "module 'marketplace.environment' has no attribute 'unheard_of'",
    ),
    "environment": ("marketplace/environment.py", "def (:", SYNTAX),
    "application": (
        "marketplace/wsgi.py",
        "import unheard_of",
        "ModuleNotFoundError: No module named 'unheard_of'",
    ),
    "views": (
        "catalogue/views.py",
        "raise RuntimeError('This release is broken')",
        "RuntimeError: This release is broken",
    ),
    "requests": (f"{INFRASTRUCTURE}/requests.py", "def (:", SYNTAX),
    "worker": (f"{INFRASTRUCTURE}/worker.py", "def (:", SYNTAX),
    "start of a worker": (
        f"{INFRASTRUCTURE}/worker.py",
        "def fail(self):\n    raise RuntimeError('broken')\n\n\nWorker.init_process = fail",
        "RuntimeError: broken",
    ),
    "configuration": ("gunicorn.conf.py", "sys.exit('Do not start')", "Do not start"),
    "hook": (
        "gunicorn.conf.py",
        "def pre_fork(arbiter, worker):\n    unheard_of()",
        "NameError: name 'unheard_of' is not defined",
    ),
    "variables": (
        ".env",
        "REQUEST_TIMEOUT=none",
        "REQUEST_TIMEOUT must be a whole number from 1 to 600, not 'none'.",
    ),
    "port": (".env", "BIND=127.0.0.1", "PORT or BIND has changed, so restart the server."),
    "gunicorn": (
        "gunicorn-99.0.dist-info/METADATA",
        "Name: gunicorn\nVersion: 99.0",
        "gunicorn's version has changed, so restart the server.",
    ),
}


class ReloadedSite:
    """The server of a checkout of its own, whose files a test changes."""

    def __init__(self, folder):
        self.folder = bare_checkout(folder)
        environment = {"WEB_CONCURRENCY": str(WORKERS), "ENV_FILE": ".env", "ACCESS_LOG": "false"}
        self.write(".env", "# Variables\n")
        self.server = LiveServer(folder.with_suffix(".log"), environment)
        self.server.folder = self.folder

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def log(self):
        return self.server.log.read_text()

    def booted(self):
        return self.log().count("Booting worker")

    def workers(self):
        """The IDs of their processes."""
        return {worker.pid for worker in workers_of(self.server)}

    def refusals(self):
        return self.log().count("Not reloaded, and the old workers go on")

    def hup(self):
        self.server.process.send_signal(signal.SIGHUP)

    def is_serving(self):
        """Whether the workers have loaded the release: only then they have threads."""
        with suppress(psutil.NoSuchProcess):
            threads = [worker.num_threads() for worker in workers_of(self.server)]
            return len(threads) == WORKERS and min(threads) > 1
        return False

    def reload(self):
        """Returns once the new workers serve and have replaced the old ones."""
        booted, exited = self.booted(), self.log().count("Worker exiting")
        self.hup()
        assert is_within(60, lambda: self.booted() == booted + WORKERS), self.log()
        assert is_within(60, lambda: self.log().count("Worker exiting") == exited + WORKERS)
        assert is_within(60, self.is_serving), self.log()

    def version(self):
        return self.server.request("GET", "/api/v1/openapi.json").json()["info"]["version"]

    @contextmanager
    def changed(self, name, add):
        """Add lines to a file of the checkout, or a new file, for as long as the block runs."""
        file = self.folder / name
        before = file.read_text() if file.exists() else None
        self.write(name, f"{before or ''}\n{add}\n")
        try:
            yield
        finally:
            if before is None:
                file.unlink()
                file.parent.rmdir()
            else:
                file.write_text(before)

    def load(self):
        """Requests one after another, of which none may fail."""
        return Readers(self.server, ["/api/v1/skills"], threads=2, pause=0.1)


@pytest.fixture(scope="module")
def site(django_db_setup, django_db_blocker, tmp_path_factory):
    with django_db_blocker.unblock():
        site = ReloadedSite(tmp_path_factory.mktemp("checkout"))
    site.server.start()
    assert is_within(60, site.is_serving), site.log()
    yield site
    site.server.stop()


@pytest.mark.contract("24.11")
def test_a_reload_runs_the_next_release_and_another_one_goes_back(site):
    """Each module of the release meets those of the same release alone."""
    before = site.version()
    with site.load() as load:
        with (
            site.changed("marketplace/environment.py", add="def version():\n    return '9.8.7'"),
            site.changed("marketplace/settings.py", add="VERSION = environment.version()"),
            site.changed(
                "marketplace/settings.py",
                add="SPECTACULAR_SETTINGS['VERSION'] = environment.version()",
            ),
            site.changed("infrastructure/server/sizes.py", add="NEW = 'x-new'"),
            site.changed(
                "infrastructure/server/worker.py",
                add="from infrastructure.server.sizes import NEW",
            ),
            site.changed("gunicorn.conf.py", add="from infrastructure.server.worker import NEW"),
            site.changed(
                "marketplace/wsgi.py", add="from infrastructure.server.worker import NEW\nNEW.upper"
            ),
        ):
            site.reload()
            during = site.version()
        site.reload()

    assert (during, site.version()) == ("9.8.7", before)
    assert load.failures == []
    assert len(load.seconds) > 20
    assert site.refusals() == 0


@pytest.mark.contract("24.11")
def test_a_reload_reads_the_file_of_variables(site):
    with site.changed(".env", add="STAFF_CONTACT=staff@market.example"):
        site.reload()
        during = site.server.request("GET", "/guide.md").body
    site.reload()

    assert b"staff@market.example" in during
    assert b"staff@market.example" not in site.server.request("GET", "/guide.md").body


@pytest.mark.contract("24.11")
@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(broken, marks=[pytest.mark.infrastructure] * broken[0].endswith("worker.py"))
        for broken in BROKEN.values()
    ],
    ids=BROKEN,
)
def test_a_broken_release_ends_no_worker(site, broken):
    name, text, reason = broken
    workers, refusals, log = site.workers(), site.refusals(), site.log()
    with site.load() as load, site.changed(name, add=text):
        site.hup()
        assert is_within(60, lambda: site.refusals() > refusals), site.log()

    assert reason in site.log().removeprefix(log)
    assert load.failures == []
    assert site.workers() == workers
    assert site.server.request("GET", "/api/v1/skills").status == 200


@pytest.mark.contract("24.11")
def test_a_change_between_trial_and_reload_ends_no_worker(site):
    # The configuration runs in the trial's master, and then in this one.
    once = """
mark = Path(__file__).with_name("mark")
if mark.exists():
    sys.exit("Too late")
mark.touch()
"""
    workers, refusals = site.workers(), site.refusals()
    with site.changed("gunicorn.conf.py", add=once):
        site.hup()
        assert is_within(60, lambda: site.refusals() > refusals), site.log()

    assert "the old workers go on: Too late" in site.log()
    assert site.workers() == workers
    assert site.server.request("GET", "/api/v1/skills").status == 200


@pytest.mark.contract("24.11")
def test_a_worker_that_cannot_start_ends_no_other(site):
    """Between a checkout and the reload, a worker may end by itself."""
    booted, exited = site.booted(), site.log().count("Worker exiting")
    failed = site.log().count("exited with code 3")
    with (
        site.load() as load,
        site.changed(*BROKEN["views"][:2]),
    ):
        os.kill(site.workers().pop(), signal.SIGTERM)
        assert is_within(60, lambda: site.log().count("Worker exiting") >= exited + 2), site.log()

    assert is_within(60, lambda: site.booted() == booted + 2)
    assert site.log().count("exited with code 3") == failed + 1
    assert is_within(60, site.is_serving), site.log()
    site.reload()
    assert load.failures == []


@pytest.mark.contract("24.11")
def test_a_server_that_tries_a_release_can_be_stopped(site):
    with site.changed("catalogue/views.py", add="import time\ntime.sleep(600)"):
        site.hup()
        assert is_within(60, lambda: len(site.workers()) == WORKERS + 1)  # and the trial
        site.server.process.send_signal(signal.SIGTERM)
        site.server.process.wait(40)  # less than a trial may take

    assert "the old workers go on: the server is stopping." in site.log()
    site.server.start()


def test_a_release_that_no_worker_can_start_does_not_end_the_master(site):
    """Its hooks may need what only a start sets, so that the trial succeeds."""
    hook = """
def on_starting(arbiter):
    exporter.on_starting(arbiter)
    reloads.on_starting(arbiter)
    arbiter.news = "set at the start"


def post_fork(arbiter, worker):
    print(arbiter.news)
"""
    failed = site.log().count("exited with code 3")
    with site.changed("gunicorn.conf.py", add=hook):
        site.hup()
        assert is_within(60, lambda: site.log().count("exited with code 3") > failed), site.log()
    site.hup()

    assert is_within(60, site.server.is_ready), site.log()
    assert is_within(60, lambda: len(site.workers()) == WORKERS)


@pytest.mark.contract("24.11")
def test_once_it_is_mended_it_is_reloaded(site):
    refusals = site.refusals()
    with site.changed("marketplace/wsgi.py", add="import unheard_of"):
        site.hup()
        assert is_within(60, lambda: site.refusals() > refusals)
    site.reload()

    assert site.server.request("GET", "/api/v1/skills").status == 200
