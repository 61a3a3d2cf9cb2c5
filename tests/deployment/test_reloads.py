"""A reload takes up whatever release is in the checkout now, and nothing in it ends the server."""

import signal
import threading
import time
from contextlib import contextmanager

import psutil
import pytest

from tests.checkouts import bare_checkout
from tests.live import LiveServer
from tests.processes import is_within

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]

WORKERS = 2
# Each adds text to the end of a file, so that the new release fails where the old one works.
BROKEN = {
    "marketplace/settings.py": "PORT = environment.unheard_of('PORT')",
    "marketplace/environment.py": "def (:",
    "marketplace/wsgi.py": "import unheard_of",
    "catalogue/views.py": "raise RuntimeError('This release is broken')",
    "infrastructure/server/requests.py": "def (:",
    "infrastructure/server/worker.py": "def (:",
    "gunicorn.conf.py": "raise SystemExit('This release is broken')",
    ".env": "REQUEST_TIMEOUT=none",
    "gunicorn-99.0.dist-info/METADATA": "Name: gunicorn\nVersion: 99.0",
}
REASONS = {
    "marketplace/settings.py": "module 'marketplace.environment' has no attribute 'unheard_of'",
    "marketplace/wsgi.py": "ModuleNotFoundError: No module named 'unheard_of'",
    "catalogue/views.py": "RuntimeError: This release is broken",
    "gunicorn.conf.py": "This release is broken",
    ".env": "REQUEST_TIMEOUT must be a whole number from 1 to 600, not 'none'.",
    "gunicorn-99.0.dist-info/METADATA": "gunicorn's version has changed, so restart the server.",
}


class Site:
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

    def refusals(self):
        return self.log().count("Not reloaded, and the old workers go on")

    def hup(self):
        self.server.process.send_signal(signal.SIGHUP)

    def reload(self):
        """Returns once the new workers have replaced the old ones."""
        booted, exited = self.booted(), self.log().count("Worker exiting")
        self.hup()
        assert is_within(60, lambda: self.booted() == booted + WORKERS), self.log()
        assert is_within(60, lambda: self.log().count("Worker exiting") == exited + WORKERS)

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

    @contextmanager
    def load(self):
        """Requests one after another, of which none may fail; yields their statuses."""
        statuses, ended = [], threading.Event()

        def work():
            while not ended.is_set():
                try:
                    statuses.append(self.server.request("GET", "/api/v1/skills").status)
                except OSError as error:
                    statuses.append(repr(error))
                time.sleep(0.005)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            yield statuses
        finally:
            ended.set()
            for thread in threads:
                thread.join()


@pytest.fixture(scope="module")
def site(django_db_setup, django_db_blocker, tmp_path_factory):
    with django_db_blocker.unblock():
        site = Site(tmp_path_factory.mktemp("checkout"))
    site.server.start()
    yield site
    site.server.stop()


def test_a_reload_runs_the_next_release_and_another_one_goes_back(site):
    """Each module of the release meets those of the same release alone."""
    before = site.version()
    with site.load() as statuses:
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
    assert {*statuses} == {200}
    assert len(statuses) > 100
    assert site.refusals() == 0


def test_a_reload_reads_the_file_of_variables(site):
    with site.changed(".env", add="STAFF_CONTACT=staff@market.example"):
        site.reload()
        during = site.server.request("GET", "/guide.md").body
    site.reload()

    assert b"staff@market.example" in during
    assert b"staff@market.example" not in site.server.request("GET", "/guide.md").body


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.infrastructure] * name.endswith("worker.py"))
        for name in BROKEN
    ],
)
def test_a_broken_release_ends_no_worker(site, name):
    booted, refusals, log = site.booted(), site.refusals(), site.log()
    with site.load() as statuses, site.changed(name, add=BROKEN[name]):
        site.hup()
        assert is_within(60, lambda: site.refusals() > refusals), site.log()

    assert REASONS.get(name, "SyntaxError: invalid syntax") in site.log().removeprefix(log)
    assert {*statuses} == {200}
    assert site.booted() == booted
    assert site.server.request("GET", "/api/v1/skills").status == 200


def test_what_changes_between_the_trial_and_the_reload_ends_no_worker(site):
    once = """
mark = Path(__file__).with_name("mark")
if mark.exists():
    sys.exit("Too late")
mark.touch()
"""
    booted, refusals = site.booted(), site.refusals()
    with site.changed("gunicorn.conf.py", add=once):
        site.hup()
        assert is_within(60, lambda: site.refusals() > refusals), site.log()

    assert "the old workers go on: Too late" in site.log()
    assert site.booted() == booted
    assert site.server.request("GET", "/api/v1/skills").status == 200


def test_a_worker_that_cannot_start_ends_no_other(site):
    """Between a checkout and the reload, a worker may end by itself."""
    exited, failed = site.log().count("Worker exiting"), site.log().count("exited with code 1")
    with (
        site.load() as statuses,
        site.changed("catalogue/views.py", add=BROKEN["catalogue/views.py"]),
    ):
        psutil.Process(site.server.process.pid).children()[0].send_signal(signal.SIGTERM)
        assert is_within(60, lambda: site.log().count("Worker exiting") >= exited + 2), site.log()
    booted = site.booted()

    assert is_within(60, lambda: site.booted() == booted + 1)
    assert site.log().count("exited with code 1") == failed + 1
    site.reload()
    assert {*statuses} == {200}


def test_once_it_is_mended_it_is_reloaded(site):
    refusals = site.refusals()
    with site.changed("marketplace/wsgi.py", add="import unheard_of"):
        site.hup()
        assert is_within(60, lambda: site.refusals() > refusals)
    site.reload()

    assert site.server.request("GET", "/api/v1/skills").status == 200
