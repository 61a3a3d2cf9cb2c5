"""The environment decides, and a wrong value stops the start and names its variable (contract 24.3)

Most tests run only the settings files. A few start gunicorn and manage.py, to show that a process
starts or stops accordingly.
"""

import re
import traceback

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from demo.postgres import CHECKOUT
from marketplace.ratelimits.rates import DEFAULTS
from tests.environments import (
    NOT_SET,
    PASSWORD,
    PRODUCTION,
    SETTINGS,
    WEB_SERVER,
    WORKER,
    WRONG_FOR_SERVER,
    WRONG_FOR_SETTINGS,
    WRONG_FOR_WORKER,
    read,
    start,
)

ORIGIN = "https://market.example"
CHECK_SERVER = ("-m", "gunicorn", "--check-config", "--print-config", "marketplace.wsgi")
RATES = ["install 20/h", "review 10/h", "manage 120/h", "confirm-claim 10/h", "report 10/h"]
RATES += ["submit 60/d", "clone 240/h", "register 100/h", "revoke 30/h", "operator 5/15m"]
RATES += ["exchange 300/h", "exchange-publisher 60/h", "oauth-register 300/h", "oauth-token 600/h"]
RATES += ["claim-code 60/h", "claim-code-address 30/h", "login 5/15m", "login-address 30/15m"]


def settings_of(*names, **variables):
    """The values of these settings in this environment."""
    settings = read(SETTINGS, **variables)
    return settings[names[0]] if len(names) == 1 else {name: settings[name] for name in names}


def each_value(wrong):
    """The variable, one value and the full error text, as a test's parameters."""
    cases = [(text.split()[0], value, text) for text, values in wrong.items() for value in values]
    return [
        pytest.param(variable, value, text.format(value), id=f"{variable}-{value}")
        for variable, value, text in cases
    ]


def assert_refused(file, variable, value, text):
    # gunicorn prints no traceback of a SystemExit.
    error = SystemExit if file == WEB_SERVER else ImproperlyConfigured
    with pytest.raises(error) as refused:
        read(file, **{variable: value})

    assert str(refused.value) == text
    # As the process would print it, with the causes.
    assert_no_secret_in("".join(traceback.format_exception(refused.value)))


def assert_no_secret_in(text):
    assert PASSWORD not in text
    assert PRODUCTION["SECRET_KEY"] not in text


@pytest.mark.contract("24.3")
@pytest.mark.parametrize("variable", ["SECRET_KEY", "DATABASE_URL"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_value_stops_the_start(variable, value):
    assert_refused(SETTINGS, variable, value, f"{variable} {NOT_SET}")


@pytest.mark.contract("24.3", "26.1", "26.5")
@pytest.mark.parametrize(("variable", "value", "text"), each_value(WRONG_FOR_SETTINGS))
def test_a_wrong_value_stops_the_start(variable, value, text):
    assert_refused(SETTINGS, variable, value, text)


@pytest.mark.parametrize(("variable", "value", "text"), each_value(WRONG_FOR_SERVER))
def test_a_wrong_value_stops_the_web_server(variable, value, text):
    assert_refused(WEB_SERVER, variable, value, text)


@pytest.mark.parametrize(("variable", "value", "text"), each_value(WRONG_FOR_WORKER))
def test_a_wrong_value_stops_a_worker(variable, value, text):
    assert_refused(WORKER, variable, value, text)


@pytest.mark.parametrize(
    ("variables", "bind", "workers", "threads"),
    [
        ({}, "0.0.0.0:8000", 2, 4),
        ({"PORT": "5000", "WEB_CONCURRENCY": "3"}, "0.0.0.0:5000", 3, 4),
        ({"PORT": "", "WEB_THREADS": ""}, "0.0.0.0:8000", 2, 4),
        ({"WEB_CONCURRENCY": "", "WEB_THREADS": "8"}, "0.0.0.0:8000", 2, 8),
        ({"BIND": "127.0.0.1", "PORT": "5000"}, "127.0.0.1:5000", 2, 4),
        ({"BIND": "[::]"}, "[::]:8000", 2, 4),
    ],
)
def test_the_web_server_reads_address_and_number_of_workers(variables, bind, workers, threads):
    server = read(WEB_SERVER, **variables)

    assert (server["bind"], server["workers"], server["threads"]) == (bind, workers, threads)


@pytest.mark.servers
def test_gunicorn_uses_its_configuration_file():
    done = start(*CHECK_SERVER, PORT="5000", WEB_CONCURRENCY="3", WEB_THREADS="")

    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["bind", "=", "['0.0.0.0:5000']"] in lines
    assert ["workers", "=", "3"] in lines
    assert ["threads", "=", "4"] in lines


def test_a_short_secret_will_do_for_debugging():
    assert settings_of("SECRET_KEY", SECRET_KEY="short", DEBUG="true") == "short"


@pytest.mark.contract("4.6", "11.1", "24.3", "24.6")
def test_the_defaults_are_those_of_the_contract():
    names = ["DEBUG", "TOKEN_PREFIX", "TRUSTED_PROXY_COUNT", "REQUIRE_HTTPS", "RATE_LIMITS"]
    names += ["CSRF_TRUSTED_ORIGINS", "CACHES", "PUBLIC_URL", "SUBMISSIONS", "SUBMISSIONS_MAX"]
    names += ["SOURCE_HOSTS"]

    assert settings_of(*names) == {
        "DEBUG": False,
        "TOKEN_PREFIX": "mkt",
        "TRUSTED_PROXY_COUNT": 0,
        "REQUIRE_HTTPS": True,
        "RATE_LIMITS": {policy: {"free": rate} for policy, rate in map(str.split, RATES)},
        "CSRF_TRUSTED_ORIGINS": [],
        "PUBLIC_URL": "",
        "SUBMISSIONS": "off",
        "SUBMISSIONS_MAX": 1000,
        "SOURCE_HOSTS": [],
        "CACHES": {"default": {"BACKEND": "marketplace.ratelimits.counters.PostgresCounters"}},
    }


def test_an_empty_value_is_the_default():
    names = ["DEBUG", "TOKEN_PREFIX", "TRUSTED_PROXY_COUNT", "REQUIRE_HTTPS", "RATE_LIMITS"]
    empty = dict.fromkeys([*names[:4], "RATE_LIMIT_INSTALL", "CACHE_URL"], "")

    assert settings_of(*names, **empty) == settings_of(*names)


@pytest.mark.contract("11.4")
def test_rates_are_read_for_each_policy_and_tier():
    policies = [rate.split()[0] for rate in RATES]
    variables = [f"RATE_LIMIT_{policy.replace('-', '_').upper()}" for policy in policies]
    rates = {name: f"free={n}/h, lab-2={n}/30m" for n, name in enumerate(variables)}

    assert settings_of("RATE_LIMITS", **rates | {"RATE_LIMIT_REGISTER": "0/d"}) == {
        **{policy: {"free": f"{n}/h", "lab-2": f"{n}/30m"} for n, policy in enumerate(policies)},
        "register": {"free": "0/d"},
    }


def test_the_other_values_are_read():
    values = settings_of(
        *("SECRET_KEY", "DEBUG", "TOKEN_PREFIX", "TRUSTED_PROXY_COUNT", "REQUIRE_HTTPS"),
        *("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "SECURE_PROXY_SSL_HEADER", "CACHES"),
        DEBUG="True",
        TOKEN_PREFIX="Acme7",
        TRUSTED_PROXY_COUNT="2",
        REQUIRE_HTTPS="off",
        CSRF_TRUSTED_ORIGINS=f"{ORIGIN},https://*.market.example",
        CACHE_URL=f"rediss://:{PASSWORD}@redis.example:6380/1",
    )

    cache = values.pop("CACHES")["default"]
    assert cache["BACKEND"].endswith("RedisCache")
    assert cache["LOCATION"] == f"rediss://:{PASSWORD}@redis.example:6380/1"
    assert cache["OPTIONS"]["socket_timeout"] <= 0.5
    assert values == {
        "SECRET_KEY": PRODUCTION["SECRET_KEY"],
        "DEBUG": True,
        "TOKEN_PREFIX": "Acme7",
        "TRUSTED_PROXY_COUNT": 2,
        "REQUIRE_HTTPS": False,
        "ALLOWED_HOSTS": ["market.example", "api.market.example"],
        "CSRF_TRUSTED_ORIGINS": [ORIGIN, "https://*.market.example"],
        "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https"),
    }


@pytest.mark.parametrize(
    ("required", "url"),
    [
        ("true", "https://market.example"),
        ("true", "https://market.example:8443"),
        ("false", "http://10.1.2.3:8000"),
        ("false", "http://[::1]:8000"),
    ],
)
def test_the_public_url_is_plain_only_where_plain_requests_are_served(required, url):
    assert settings_of("PUBLIC_URL", REQUIRE_HTTPS=required, PUBLIC_URL=url) == url


@pytest.mark.contract("24.4")
@pytest.mark.parametrize("proxies", [None, "0"])
def test_forwarded_schemes_are_not_believed_without_a_trusted_proxy(proxies):
    # Django's own default ignores the header.
    assert "SECURE_PROXY_SSL_HEADER" not in read(SETTINGS, TRUSTED_PROXY_COUNT=proxies)


def test_a_production_environment_passes_every_check_of_django():
    check = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")

    done = start(*check, TRUSTED_PROXY_COUNT="1", CSRF_TRUSTED_ORIGINS=ORIGIN)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def deployed(settings):
    """Replace the tests' settings with those of an environment, except the database."""

    def deployed(**variables):
        for name, value in read(SETTINGS, **variables).items():
            if name.isupper() and name != "DATABASES" and value != getattr(settings, name, None):
                setattr(settings, name, value)

    return deployed


@pytest.mark.parametrize("proxies", [None, "0"])
def test_the_check_of_a_deployment_warns_where_no_proxy_is_trusted(deployed, proxies):
    deployed(TRUSTED_PROXY_COUNT=proxies, CSRF_TRUSTED_ORIGINS=ORIGIN)

    with pytest.raises(SystemCheckError) as failed:
        call_command("check", deploy=True, fail_level="WARNING")

    assert "(marketplace.W001) TRUSTED_PROXY_COUNT is 0." in str(failed.value)
    assert "System check identified 1 issue" in str(failed.value)


@pytest.mark.parametrize(
    ("hosts", "is_right"), [("other.test", False), (".example.com", True), ("*", True)]
)
def test_the_check_of_a_deployment_warns_where_the_public_host_is_refused(
    deployed, hosts, is_right
):
    url = "https://market.example.com:8443"
    deployed(TRUSTED_PROXY_COUNT="1", PUBLIC_URL=url, ALLOWED_HOSTS=hosts)

    ids = [warning.id for warning in run_checks(include_deployment_checks=True)]

    assert ("marketplace.W002" not in ids) == is_right


@pytest.mark.contract("24.3")
def test_the_table_has_every_variable():
    """Any of the files that read the environment reads it."""
    read_by_name = re.compile(r"environment\.\w+\(\s*[\"'](\w+)")
    sources = [*(CHECKOUT / "marketplace").rglob("*.py"), CHECKOUT / WEB_SERVER]
    variables = {name for source in sources for name in read_by_name.findall(source.read_text())}
    # Read before the others, and where the options of all connections are put together.
    variables |= {"ENV_FILE", "DATABASE_TIMEOUTS"}
    variables |= {f"RATE_LIMIT_{name.replace('-', '_').upper()}" for name in DEFAULTS}

    table = (CHECKOUT / "docs" / "deploy" / "variables.md").read_text()

    assert set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE)) == variables
