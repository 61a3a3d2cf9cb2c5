"""`make demo`: from a bare checkout to a running marketplace, and back (contract 24.1)"""

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from urllib.parse import urlencode

import pytest

from demo.postgres import CHECKOUT
from tests.browser import FormReader
from tests.checkouts import Demo, bare_checkout, copied
from tests.processes import is_within

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def stopped(demo_in, new_folder):
    """A demo of a bare checkout: stopped at the first start, then started, used and stopped again.

    It is in a folder that only its owner may enter.
    """
    folder = new_folder()
    demo = demo_in(bare_checkout(folder / "a check out"))
    folder.chmod(0o700)
    demo.begin()
    demo.was_making_the_database = is_within(60, demo.is_making_the_database)
    demo.left_at_first = demo.terminate()
    demo.start()
    demo.mode_of_the_folder_above = folder.stat().st_mode & 0o777
    demo.token = demo.customer()
    demo.first_output = demo.output()
    # A browser keeps its connection open; that must not delay the stop.
    idle = http.client.HTTPConnection("127.0.0.1", demo.port)
    idle.request("GET", "/healthz")
    assert idle.getresponse().read()
    begun = time.monotonic()
    demo.left = demo.terminate()
    demo.seconds_to_stop = time.monotonic() - begun
    idle.close()
    demo.last_output = demo.output()
    return demo


@pytest.fixture(scope="module")
def copy(stopped, demo_in, new_folder):
    """A copy of that checkout with its data, stopped again while its database started."""
    copy = demo_in(copied(stopped.folder, new_folder() / "checkout"))
    copy.begin()
    copy.was_starting_the_database = is_within(60, lambda: copy.processes("bin/postgres"))
    copy.left = copy.terminate()
    return copy


@pytest.fixture(scope="module")
def running(stopped, copy):
    """The same checkout, started again; the copy was made before."""
    stopped.start()
    return stopped


@pytest.fixture
def other(running, copy):
    """The copy, running at the same time. The first test that needs it starts it."""
    if copy.is_gone():
        copy.start()
    return copy


@pytest.fixture(scope="module")
def untouched(demo_in, new_folder):
    """A bare checkout in which no demo creates its database."""
    return demo_in(bare_checkout(new_folder() / "checkout"))


@pytest.mark.contract("24.1")
def test_sigterm_to_make_ends_server_and_database(stopped):
    assert stopped.left == []
    assert stopped.seconds_to_stop < 20
    assert "Traceback" not in stopped.last_output


def test_a_first_start_that_was_stopped_while_it_made_the_database_can_be_repeated(stopped):
    assert stopped.was_making_the_database
    assert stopped.left_at_first == []
    assert stopped.token


@pytest.mark.contract("24.1")
def test_it_works_below_a_folder_that_only_its_owner_may_enter(running):
    assert running.mode_of_the_folder_above == 0o700
    assert running.folder.parent.stat().st_mode & 0o777 == 0o700
    assert running.skills_of(running.customer()) == ["pdf-tables"]


def test_a_stop_while_the_database_starts_leaves_nothing(copy):
    assert copy.was_starting_the_database
    assert copy.left == []


def test_it_prints_where_it_is_and_how_to_use_it(stopped):
    text = stopped.first_output

    assert f"http://127.0.0.1:{stopped.port} " in text
    assert f"curl 'http://127.0.0.1:{stopped.port}/api/v1/skills" in text
    assert f"http://127.0.0.1:{stopped.port}/admin/" in text
    assert re.search(r"user admin, password \S{12}", text)
    assert "Traceback" not in text
    assert "Warning" not in text


def test_a_restart_prints_the_same_password(running):
    (first,) = re.findall(r"password (\S+)", running.first_output)

    assert re.findall(r"password (\S+)", running.output()) == [first]


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_printed_commands_work(running):
    for label, response in [("Search", '"slug":'), ("Register", '"token":')]:
        (command,) = re.findall(rf"{label}: +(curl .+)", running.output())
        done = subprocess.run(
            f"{command} -sSf", shell=True, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert response in done.stdout


def log_in(demo, path, **values):
    """The response to the form of a page, filled with these values."""
    page = demo.request("GET", path)
    reader = FormReader()
    reader.feed(page.body.decode())
    cookie = page.headers["Set-Cookie"].partition(";")[0]
    headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    return demo.request("POST", path, urlencode(reader.fields | values), headers=headers)


def test_the_printed_password_opens_the_admin(running):
    (password,) = re.findall(r"password (\S+)", running.output())

    response = log_in(running, "/admin/login/?next=/admin/", username="admin", password=password)

    assert (response.status, response.headers["Location"]) == (302, "/admin/")


def test_the_printed_key_opens_the_console(running):
    (key,) = re.findall(r"Console:.*\n +(\S+)", running.output())

    response = log_in(running, "/operator", key=key)

    assert (response.status, response.headers["Location"]) == (302, "/operator"), response.body


@pytest.mark.contract("24.1")
def test_it_serves_the_demo_catalogue_and_that_of_its_source(running):
    path = "/api/v1/skills/standup-summary"
    assert is_within(60, lambda: running.request("GET", path).status == 200), running.output()
    # One skill is recalled, and one comes from the source.
    for kind in ("skills", "personas"):
        response = running.request("GET", f"/api/v1/{kind}?limit=1").json()
        assert response["count"] == len([*(CHECKOUT / "demo" / kind).iterdir()])
    results = running.request("GET", "/api/v1/skills?q=pdf+tables").json()["results"]
    assert results[0]["slug"] == "pdf-tables"


@pytest.mark.contract("24.1")
def test_installs_survive_a_restart(running):
    assert running.skills_of(running.token) == ["pdf-tables"]


def test_agents_have_been_there_before(running):
    assert re.search(r"^activity: \d+ agents, ", running.first_output, re.MULTILINE)
    best = running.request("GET", "/api/v1/personas?sort=rating&limit=1").json()["results"][0]
    assert best["ratingCount"] > 0
    assert best["installs"] > 0


def test_a_restart_does_not_fill_it_again(running):
    assert "The marketplace is at" in running.output()
    assert re.findall(r"^\w+: \d+", running.output(), re.MULTILINE) == []


def test_its_limit_of_registrations_is_high(running):
    response = running.request("POST", "/api/v1/agents/register", {})

    assert response.headers["RateLimit-Policy"] == '"register";q=10000;w=3600'


def test_the_doctor_beside_it_finds_it_on_its_port(running):
    environment = {name: value for name, value in running.environment.items() if name != "PORT"}

    options = {"cwd": running.folder, "env": environment, "capture_output": True, "text": True}
    done = subprocess.run(["make", "manage", "ARGS=doctor"], check=False, **options)

    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    url = f"http://127.0.0.1:{running.port}"
    line = f"ok  requests       {url} responds, and believes no address that a client invents.\n"
    assert line in done.stdout
    assert done.stdout.endswith("All is well.\n")


@pytest.mark.parametrize("other_port", [False, True])
def test_a_second_demo_of_a_checkout_names_the_url_of_the_first(running, other_port):
    second = Demo(running.folder)
    second.log = running.log.with_name("second log")
    second.port = second.port if other_port else running.port
    second.begin()

    assert second.process.wait(60) != 0
    first = f"http://127.0.0.1:{running.port}"
    assert f"The demo of this checkout is running already, at {first}\n" in second.output()
    assert "Traceback" not in second.output()
    assert running.skills_of(running.token) == ["pdf-tables"]


def test_a_port_in_use_is_named_before_anything_is_created(untouched):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        untouched.port = taken.getsockname()[1]
        untouched.begin()
        assert untouched.process.wait(60) != 0

    said = rf"^Port {untouched.port} is in use; try PORT=(\d+) make demo$"
    free = re.findall(said, untouched.output(), re.MULTILINE)
    assert untouched.port < int(*free) < 65536
    assert "Traceback" not in untouched.output()
    assert not (untouched.folder / ".demo" / "postgres").exists()


def test_an_invalid_port_is_named(untouched):
    untouched.port = "http"
    untouched.begin()

    assert untouched.process.wait(60) != 0
    assert "PORT must be a whole number from 1 to 65535, not 'http'." in untouched.output()
    assert "Traceback" not in untouched.output()


@pytest.mark.slow
def test_two_checkouts_run_independently(running, other):
    assert other.skills_of(running.customer()) == []
    assert running.skills_of(other.customer()) == []


@pytest.mark.contract("24.1")
@pytest.mark.slow
def test_a_start_after_a_kill_has_the_data_and_ctrl_c_stops_it(running, other):
    (python,) = other.processes("python\0-m\0demo")
    token = other.customer()

    os.kill(python, signal.SIGKILL)
    other.process.wait(30)
    other.start()

    assert other.processes("python\0-m\0demo")
    assert other.skills_of(token) == ["pdf-tables"]
    # Ctrl-C reaches everything that make has started on this terminal, and nothing else.
    os.killpg(other.process.pid, signal.SIGINT)
    assert other.leftovers() == []
    assert "Traceback" not in other.output()
    assert running.skills_of(running.token) == ["pdf-tables"]
