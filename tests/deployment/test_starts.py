"""What a wrong environment prints, and the file `.env` that adds to it (contract 24.3)"""

import os

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.deployment.test_settings import assert_no_secret_in, settings_of
from tests.environments import NOT_SET, PASSWORD, SETTINGS, WEB_SERVER, read, start

pytestmark = pytest.mark.servers


@pytest.mark.contract("24.3")
@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("PORT", "http", "must be a whole number from 1 to 65535, not 'http'."),
        ("CACHE_URL", f"http://:{PASSWORD}@redis.example", "must look like redis://host:6379/0."),
        ("DATABASE_TIMEOUTS", "off", "must be none, or left out, not 'off'."),
        ("SECRET_KEY", None, NOT_SET),
    ],
    ids=["gunicorn.conf.py", "settings.py", "wsgi.py", "missing"],
)
def test_gunicorn_prints_one_sentence_and_exits(variable, value, text):
    done = start("-m", "gunicorn", "marketplace.wsgi", **{variable: value})

    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{variable} {text}\n")


@pytest.mark.contract("24.3")
@pytest.mark.parametrize("command", ["migrate", "check", "runserver"])
def test_a_command_prints_one_sentence_and_exits(command):
    done = start("manage.py", command, DATABASE_URL=None)

    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"DATABASE_URL {NOT_SET}\n")


def test_a_command_without_a_database_prints_one_sentence():
    done = start("manage.py", "recount", DATABASE_URL=f"postgres://a:{PASSWORD}@127.0.0.1:1/a")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith('connection failed: connection to server at "127.0.0.1", port 1')
    assert "Traceback" not in done.stderr
    assert_no_secret_in(done.stderr)


def test_a_command_prints_the_traceback_where_it_is_asked_to():
    done = start("manage.py", "migrate", "--traceback", DATABASE_URL=None)

    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith(f"DATABASE_URL {NOT_SET}\n")


@pytest.mark.contract("24.3")
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_file_is_read_without_a_shell(tmp_path, quote):
    secret = "a$b&c#d e" * 6 + "=$(id)"
    file = tmp_path / ".env"
    file.write_text(
        f"# PLAIN=1\n\nSECRET_KEY={quote}{secret}{quote}\n"
        "ALLOWED_HOSTS=file.example\nTOKEN_PREFIX=\n"
    )

    read_settings = settings_of(
        *("SECRET_KEY", "ALLOWED_HOSTS", "TOKEN_PREFIX", "PLAIN"),
        ENV_FILE=str(file),
        SECRET_KEY=None,
    )

    assert read_settings == {
        "SECRET_KEY": secret,
        "ALLOWED_HOSTS": ["market.example", "api.market.example"],  # of the environment itself
        "TOKEN_PREFIX": "mkt",
        "PLAIN": False,
    }


def test_the_web_server_reads_the_file_first(tmp_path):
    (tmp_path / "env").write_text("PORT=5001\nBIND=127.0.0.1\n")

    assert read(WEB_SERVER, ENV_FILE=str(tmp_path / "env"))["bind"] == "127.0.0.1:5001"


@pytest.mark.parametrize("package", ["demo", "bench"])
def test_demo_and_bench_read_no_environment_file(package):
    program = f"import {package}; from marketplace import environment; import os; "

    done = start("-c", f"{program}print(os.environ['ENV_FILE'])", ENV_FILE=None)

    assert (done.stdout, done.stderr) == ("/dev/null\n", "")


UNREADABLE = {
    "none": "No such file or directory",
    "x" * 5000: "File name too long",
    "loop": "Too many levels of symbolic links",
    "a file/env": "Not a directory",
    ".": "Is a directory",
    "latin-1": "'utf-8' codec can't decode byte 0xe9 in position 2: invalid continuation byte",
}


def assert_nothing_starts_with(file, text):
    for source in (SETTINGS, WEB_SERVER):
        with pytest.raises((ImproperlyConfigured, SystemExit)) as refused:
            read(source, ENV_FILE=str(file))
        assert str(refused.value) == text


@pytest.mark.parametrize("name", UNREADABLE, ids=lambda name: name[:9])
def test_a_file_that_cannot_be_read_stops_the_start_with_one_sentence(tmp_path, name):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "a file").touch()
    (tmp_path / "latin-1").write_bytes(b"A=\xe9\n")

    assert_nothing_starts_with(tmp_path / name, f"ENV_FILE cannot be read: {UNREADABLE[name]}.")


@pytest.mark.parametrize("line", ["export A=1", "hunter2", "A B=1", "=1", "A=1\0"])
def test_a_line_that_is_no_variable_stops_the_start(tmp_path, line):
    file = tmp_path / "env"
    file.write_text(f"# One\n{line}\n")

    assert_nothing_starts_with(file, f"Line 2 of {file} must look like NAME=value.")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_may_not_be_read_stops_the_start_with_one_sentence(tmp_path):
    (tmp_path / "closed").mkdir(mode=0)

    assert_nothing_starts_with(
        tmp_path / "closed/env", "ENV_FILE cannot be read: Permission denied."
    )


@pytest.mark.parametrize(
    "program", [["manage.py", "check"], ["-m", "gunicorn", "marketplace.wsgi"]]
)
def test_a_file_with_too_long_a_name_is_one_sentence_on_the_terminal(program):
    done = start(*program, ENV_FILE="x" * 5000)

    sentence = "ENV_FILE cannot be read: File name too long.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    (tmp_path / "env").write_text("\ufeffPORT=5001\nBIND=127.0.0.1\n")

    assert read(WEB_SERVER, ENV_FILE=str(tmp_path / "env"))["bind"] == "127.0.0.1:5001"
