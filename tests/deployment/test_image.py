"""The Dockerfile: an image is built from it, and runs read-only as a user without rights.

The base image comes from debootstrap (Debian's Python) instead of Docker's registry.
"""

import os
import shutil
import subprocess

import pytest

from demo.postgres import CHECKOUT, USER, Postgres
from tests.external import run, run_or_skip
from tests.live import LiveServer, free_port

pytestmark = [pytest.mark.external, pytest.mark.slow]

BASE, IMAGE = "localhost/marketplace-test-base", "localhost/marketplace-test"
# With layers, the next run installs the requirements only if they have changed.
BUILD = ["buildah", "bud", "--quiet", "--isolation", "chroot", "--layers"]
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
BASE_FILE = f"""
FROM scratch
COPY root/ /
RUN ln -sf python3 /usr/bin/python
ENV PIP_CERT=/{CERTIFICATES}
"""
RUN = [
    *("podman", "--cgroup-manager=cgroupfs", "--runtime=runc", "run", "--rm", "--read-only"),
    *("--network=host", "--cap-drop=all", "--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"),
]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    for program in ("buildah", "debootstrap", "podman", "runc"):
        if shutil.which(program) is None or os.geteuid() != 0:
            pytest.skip(f"needs root and {program}")
    if subprocess.run(["buildah", "inspect", BASE], capture_output=True, check=False).returncode:
        make_base(tmp_path_factory.mktemp("base"))
    # Nothing of this environment: a build knows no secrets.
    run(
        CHECKOUT,
        "env",
        "-i",
        f"PATH={os.environ['PATH']}",
        *BUILD,
        f"--build-arg=BASE={BASE}",
        f"--tag={IMAGE}",
        ".",
    )
    return IMAGE


def make_base(folder):
    packages = "python3,python3-venv,ca-certificates"
    run_or_skip(
        folder, "debootstrap", "--variant=minbase", f"--include={packages}", "bookworm", "root"
    )
    # That of this machine: its way to PyPI may have an authority of its own.
    shutil.copy(f"/{CERTIFICATES}", folder / "root" / CERTIFICATES)
    (folder / "Dockerfile").write_text(BASE_FILE)
    run(folder, *BUILD, f"--tag={BASE}", ".")


class Container(LiveServer):
    """The image's own command, as Kubernetes would run it."""

    def __init__(self, log, database):
        self.log, self.port = log, free_port()
        variables = {
            "DATABASE_URL": f"postgres://{USER}@%2Frun%2Fdatabase/postgres",
            "SECRET_KEY": "for the tests only, and long enough",
            "REQUIRE_HTTPS": "false",
            "PORT": self.port,
        }
        self.options = [
            *(f"--env={name}={value}" for name, value in variables.items()),
            f"--volume={database.socket}:/run/database",
            "--tmpfs=/tmp",
        ]
        self.command = [*RUN, *self.options, IMAGE]
        self.folder, self.environment = CHECKOUT, os.environ.copy()

    def output_of(self, *command):
        return run(CHECKOUT, *RUN, *self.options, IMAGE, *command)


@pytest.fixture(scope="module")
def container(image, tmp_path_factory):
    folder = tmp_path_factory.mktemp("container")
    with Postgres(folder / "postgres", durable=False) as database:
        database.socket.chmod(0o711)  # The container's user is another one.
        container = Container(folder / "log", database)
        container.output_of("python", "manage.py", "migrate", "--verbosity=0")
        with container:
            yield container


def test_it_serves_from_a_read_only_file_system(container):
    assert container.request("POST", "/api/v1/agents/register", {}).status == 201
    page = container.request("GET", "/static/pages.css", headers={"Accept-Encoding": "br"})
    assert (page.status, page.headers["Content-Encoding"]) == (200, "br")
    assert container.request("GET", "/skill.md?raw").status == 200


def test_its_user_has_no_rights(container):
    assert container.output_of("id", "-u") == "10001\n"
    assert container.output_of("sh", "-c", "touch x 2>&1 || echo refused").endswith("refused\n")


def test_it_holds_what_the_server_runs_and_no_more(container):
    names = set(container.output_of("ls", "-A").split())

    assert {"manage.py", "gunicorn.conf.py", "marketplace", "staticfiles"} <= names
    assert not {".env", ".git", ".demo", ".venv", "tests", "demo", "docs"} & names


def test_without_variables_it_says_what_is_missing(image):
    done = subprocess.run([*RUN, image], capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 1
    # podman may warn before it.
    assert done.stderr.splitlines()[-1].startswith("SECRET_KEY is not set")


def test_it_stops_when_it_is_told_to(container):
    container.stop()

    assert "Shutting down: Master" in container.log.read_text()
