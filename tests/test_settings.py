"""The environment decides, and a wrong value stops the start and names its variable (contract 9)"""

import json
import os
import subprocess
import sys

import pytest
from django.core.management import call_command

from demo.postgres import CHECKOUT

PASSWORD = "hunter2"
PRODUCTION = {
    "PATH": os.environ["PATH"],
    "SECRET_KEY": "s3cret-of-a-deployment-and-quite-long-enough-for-django",
    "DATABASE_URL": f"postgres://market:{PASSWORD}@db.example:5433/market?sslmode=require",
    "ALLOWED_HOSTS": "market.example, api.market.example",
}
START = "import django; django.setup()"
SHOW = """
import django, json; django.setup()
from django.conf import settings
print(json.dumps({name: getattr(settings, name) for name in %r}))
"""


def start(*command, **environment):
    """Start a command with this environment alone; None leaves a variable out."""
    environment = {**PRODUCTION, "DJANGO_SETTINGS_MODULE": "marketplace.settings", **environment}
    return subprocess.run(
        [sys.executable, "-W", "error", *command],
        cwd=CHECKOUT,
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def settings_of(*names, **environment):
    """These settings as a process of this environment reads them."""
    done = start("-c", SHOW % (names,), **environment)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    return shown[names[0]] if len(names) == 1 else shown


def assert_refused(done, variable):
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].split("ImproperlyConfigured: ")[-1].startswith(variable)
    assert PASSWORD not in done.stdout + done.stderr
    assert PRODUCTION["SECRET_KEY"] not in done.stdout + done.stderr


@pytest.mark.parametrize("variable", ["SECRET_KEY", "DATABASE_URL"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_value_stops_the_start(variable, value):
    done = start("-c", START, **{variable: value})

    assert_refused(done, variable)
    assert "is not set" in done.stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATABASE_URL", "db.example"),
        ("DATABASE_URL", "sqlite:///db.sqlite3"),
        ("DATABASE_URL", f"mysql://market:{PASSWORD}@db.example/market"),
        ("DATABASE_URL", f"postgres://market:{PASSWORD}@db.example/"),
        ("DATABASE_URL", f"postgres://market:{PASSWORD}@db.example:port/market"),
        ("DATABASE_URL", f"postgres://market:{PASSWORD}@db.example:99999/market"),
        ("DATABASE_URL", f"postgres://market:{PASSWORD}@[::1/market"),
        ("DATABASE_URL", f"postgres://market:a#{PASSWORD}@db.example/market"),
        ("CACHE_URL", "redis.example:6379"),
        ("CACHE_URL", f"http://:{PASSWORD}@redis.example"),
        ("CACHE_URL", f"redis://:{PASSWORD}@redis.example:port/0"),
        ("TOKEN_PREFIX", "acme-corp"),
        ("TOKEN_PREFIX", "acme_corp"),
        ("TOKEN_PREFIX", "9acme"),
        ("TOKEN_PREFIX", "a" * 17),
        ("TRUSTED_PROXY_COUNT", "one"),
        ("TRUSTED_PROXY_COUNT", "-1"),
        ("TRUSTED_PROXY_COUNT", "11"),
        ("DEBUG", "maybe"),
        ("REQUIRE_HTTPS", "2"),
        ("RATE_LIMIT_INSTALL", "20"),
        ("RATE_LIMIT_INSTALL", "20/year"),
        ("RATE_LIMIT_INSTALL", "-1/h"),
        ("RATE_LIMIT_INSTALL", "20/0h"),
        ("RATE_LIMIT_INSTALL", "plus=100/h"),
        ("RATE_LIMIT_INSTALL", "20/h,30/h"),
        ("RATE_LIMIT_REVIEW", "free=10/h,plus"),
        ("RATE_LIMIT_CONFIRM_CLAIM", "free:10/h"),
        ("RATE_LIMIT_REGISTER", "Free=10/h"),
        ("ALLOWED_HOSTS", "https://market.example"),
        ("ALLOWED_HOSTS", "market.example:443"),
        ("CSRF_TRUSTED_ORIGINS", "market.example"),
    ],
)
def test_a_wrong_value_stops_the_start(variable, value):
    assert_refused(start("-c", START, **{variable: value}), variable)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PORT", "http"),
        ("PORT", "70000"),
        ("WEB_CONCURRENCY", "0"),
        ("WEB_THREADS", "many"),
        ("ACCESS_LOG", "/dev/stdout"),
        ("TRUSTED_PROXY_COUNT", "one"),
    ],
)
def test_a_wrong_value_stops_the_web_server(variable, value):
    done = start("-m", "gunicorn", "--check-config", "marketplace.wsgi", **{variable: value})

    assert done.returncode != 0
    assert variable in done.stderr.splitlines()[-1]
    assert PASSWORD not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("environment", "bind", "workers"),
    [
        ({}, "0.0.0.0:8000", 2),
        ({"PORT": "5000", "WEB_CONCURRENCY": "3"}, "0.0.0.0:5000", 3),
        ({"PORT": "", "WEB_THREADS": ""}, "0.0.0.0:8000", 2),
    ],
)
def test_the_web_server_reads_port_and_number_of_workers(environment, bind, workers):
    options = ["--check-config", "--print-config"]
    done = start("-m", "gunicorn", *options, "marketplace.wsgi", **environment)

    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["bind", "=", f"['{bind}']"] in lines
    assert ["workers", "=", str(workers)] in lines


def test_the_defaults_are_those_of_the_contract():
    names = ["DEBUG", "TOKEN_PREFIX", "TRUSTED_PROXY_COUNT", "REQUIRE_HTTPS", "RATE_LIMITS"]

    assert settings_of(*names, *("CSRF_TRUSTED_ORIGINS", "CACHES")) == {
        "DEBUG": False,
        "TOKEN_PREFIX": "mkt",
        "TRUSTED_PROXY_COUNT": 0,
        "REQUIRE_HTTPS": True,
        "RATE_LIMITS": {
            "install": {"free": "20/h"},
            "review": {"free": "10/h"},
            "confirm-claim": {"free": "10/h"},
            "register": {"free": "100/h"},
            "login": {"free": "5/15m"},
        },
        "CSRF_TRUSTED_ORIGINS": [],
        "CACHES": {"default": {"BACKEND": "marketplace.counters.PostgresCounters"}},
    }


def test_an_empty_value_is_the_default():
    names = ["DEBUG", "TOKEN_PREFIX", "TRUSTED_PROXY_COUNT", "REQUIRE_HTTPS", "RATE_LIMITS"]
    empty = dict.fromkeys([*names[:4], "RATE_LIMIT_INSTALL", "CACHE_URL"], "")

    assert settings_of(*names, **empty) == settings_of(*names)


def test_rates_are_read_for_each_policy_and_tier():
    assert settings_of(
        "RATE_LIMITS",
        RATE_LIMIT_INSTALL="free=20/h, plus=100/h",
        RATE_LIMIT_REVIEW="3/30m",
        RATE_LIMIT_CONFIRM_CLAIM="free=1/d,lab-2=5/s",
        RATE_LIMIT_REGISTER="0/h",
        RATE_LIMIT_LOGIN="free=3/m",
    ) == {
        "install": {"free": "20/h", "plus": "100/h"},
        "review": {"free": "3/30m"},
        "confirm-claim": {"free": "1/d", "lab-2": "5/s"},
        "register": {"free": "0/h"},
        "login": {"free": "3/m"},
    }


def test_the_other_values_are_read():
    read = settings_of(
        *("SECRET_KEY", "DEBUG", "TOKEN_PREFIX", "TRUSTED_PROXY_COUNT", "REQUIRE_HTTPS"),
        *("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "SECURE_PROXY_SSL_HEADER", "CACHES"),
        DEBUG="True",
        TOKEN_PREFIX="Acme7",
        TRUSTED_PROXY_COUNT="2",
        REQUIRE_HTTPS="off",
        CSRF_TRUSTED_ORIGINS="https://market.example,https://*.market.example",
        CACHE_URL=f"rediss://:{PASSWORD}@redis.example:6380/1",
    )

    cache = read.pop("CACHES")["default"]
    assert cache["BACKEND"].endswith("RedisCache")
    assert cache["LOCATION"] == f"rediss://:{PASSWORD}@redis.example:6380/1"
    assert cache["OPTIONS"]["socket_timeout"] <= 0.5
    assert read == {
        "SECRET_KEY": PRODUCTION["SECRET_KEY"],
        "DEBUG": True,
        "TOKEN_PREFIX": "Acme7",
        "TRUSTED_PROXY_COUNT": 2,
        "REQUIRE_HTTPS": False,
        "ALLOWED_HOSTS": ["market.example", "api.market.example"],
        "CSRF_TRUSTED_ORIGINS": ["https://market.example", "https://*.market.example"],
        "SECURE_PROXY_SSL_HEADER": ["HTTP_X_FORWARDED_PROTO", "https"],
    }


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_the_database_is_read_with_its_options(scheme):
    url = PRODUCTION["DATABASE_URL"].replace("postgres", scheme).replace("hunter2", "a%2Fb%40c")

    database = settings_of("DATABASES", DATABASE_URL=url)["default"]

    assert database["ENGINE"] == "marketplace.postgresql"
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("db.example", 5433, "market")
    assert (database["USER"], database["PASSWORD"]) == ("market", "a/b@c")
    assert database["OPTIONS"]["sslmode"] == "require"


def test_a_socket_folder_can_be_the_host_of_the_database():
    url = "postgres://market@%2Fvar%2Frun%2Fpostgresql/market"

    database = settings_of("DATABASES", DATABASE_URL=url)["default"]

    assert (database["HOST"], database["NAME"]) == ("/var/run/postgresql", "market")


def test_forwarded_schemes_are_not_believed_without_a_trusted_proxy():
    read = settings_of("SECURE_PROXY_SSL_HEADER", TRUSTED_PROXY_COUNT="0")

    assert read is None


def checked(**environment):
    return start(
        *("manage.py", "check", "--deploy", "--fail-level", "WARNING"),
        CSRF_TRUSTED_ORIGINS="https://market.example",
        **environment,
    )


def test_a_production_environment_passes_every_check_of_django():
    done = checked(TRUSTED_PROXY_COUNT="1")

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("proxies", [None, "0"])
def test_the_check_of_a_deployment_warns_where_no_proxy_is_trusted(proxies):
    done = checked(TRUSTED_PROXY_COUNT=proxies)

    assert done.returncode != 0
    assert "(marketplace.W001) TRUSTED_PROXY_COUNT is 0." in done.stderr
    assert "1 issue" in done.stderr


@pytest.mark.django_db
def test_no_migration_is_missing(capsys):
    call_command("makemigrations", "--check", "--dry-run")

    assert "No changes detected" in capsys.readouterr().out
