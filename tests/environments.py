"""Environments of a deployment: the settings made from them, and the refused values."""

import os
import runpy
import subprocess
import sys
from unittest.mock import patch

import gunicorn.util

from demo.postgres import CHECKOUT

PASSWORD = "hunter2"
PRODUCTION = {
    "PATH": os.environ["PATH"],
    "ENV_FILE": "/dev/null",
    "SECRET_KEY": "s3cret-of-a-deployment-and-quite-long-enough-for-django",
    "DATABASE_URL": f"postgres://market:{PASSWORD}@db.example:5433/market?sslmode=require",
    "ALLOWED_HOSTS": "market.example, api.market.example",
}
SETTINGS, WEB_SERVER = "marketplace/settings.py", "gunicorn.conf.py"
WORKER = "marketplace/wsgi.py"
NOT_SET = "is not set: see the table of variables in docs/deploy/variables.md."
NO_RATE = "must be a rate such as 20/h, or free=20/h,plus=100/h, not {!r}."
NO_URL = (
    "must look like postgres://user:password@host:5432/name (PostgreSQL only), where the password "
    "has %23 for #, %2F for / and %3F for ?."
)
# The text of each error, and the values that cause it.
WRONG_FOR_SETTINGS = {
    f"DATABASE_URL {NO_URL}": [
        "db.example",
        "sqlite:///db.sqlite3",
        f"mysql://market:{PASSWORD}@db.example/market",
        f"postgres://market:{PASSWORD}@db.example/",
        f"postgres://market:{PASSWORD}@db.example:port/market",
        f"postgres://market:{PASSWORD}@db.example:99999/market",
        f"postgres://market:{PASSWORD}@db.example:5433,two.example:port/market",
        f"postgres://market:{PASSWORD}@[::1/market",
        f"postgres://market:a#{PASSWORD}@db.example/market",
    ],
    "STAFF_CONTACT must be an e-mail address or a URL, not {!r}.": [
        *("staff", "ftp://staff.example", "mailto:a@b.example", "a@b@c"),
    ],
    "REGISTRATION must be open, invitation or closed, not {!r}.": ["true", "Open", "invite"],
    "CATALOGUE must be public or members, not {!r}.": ["private", "Members", "none"],
    "SUBMISSIONS must be off, claimed or open, not {!r}.": ["on", "true", "Open", "all"],
    "SUBMISSIONS_MAX must be a whole number from 1 to 100000, not {!r}.": ["0", "many", "100001"],
    "SECOND_FACTOR must be off, superusers or staff, not {!r}.": ["on", "true", "Staff", "all"],
    "SECRET_KEY must have 32 random characters or more.": ["changeme", "x" * 31],
    "CACHE_URL must look like redis://host:6379/0.": [
        "redis.example:6379",
        f"http://:{PASSWORD}@redis.example",
        f"redis://:{PASSWORD}@redis.example:port/0",
    ],
    "TOKEN_PREFIX must be 1 to 16 letters and digits, a letter first, not {!r}.": [
        *("acme-corp", "acme_corp", "9acme", "a" * 17)
    ],
    "TRUSTED_PROXY_COUNT must be a whole number from 0 to 10, not {!r}.": ["one", "-1", "11"],
    "TMPDIR must be a folder that this user may write to, not {!r}.": [
        *("/none", "/dev/null", "x" * 300)
    ],
    "EDGE_SECONDS must be a whole number from 0 to 86400, not {!r}.": ["-1", "1m", "86401"],
    "CACHE_BYTES must be a whole number from 0 to 999999999, not {!r}.": ["16M", "1000000000"],
    "DOWNLOAD_BYTES must be a whole number from 16777216 to 999999999999, not {!r}.": [
        *("512M", "16777215"),
    ],
    "REPLICA_MAX_LAG must be a whole number from 1 to 60, not {!r}.": ["0"],
    f"DATABASE_REPLICA_URL {NO_URL}": ["mysql://host/name", "postgres://one/name,two"],
    "DEBUG must be true or false, not {!r}.": ["maybe"],
    "PREPARED_STATEMENTS must be true or false, not {!r}.": ["never"],
    "REQUIRE_HTTPS must be true or false, not {!r}.": ["2"],
    f"RATE_LIMIT_INSTALL {NO_RATE}": ["20", "20/year", "-1/h", "20/0h"],
    "RATE_LIMIT_INSTALL must give a rate for the tier free, such as free=20/h.": ["plus=100/h"],
    "RATE_LIMIT_INSTALL gives the tier free two rates.": ["20/h,30/h"],
    f"RATE_LIMIT_REVIEW {NO_RATE}".format("plus"): ["free=10/h,plus"],
    f"RATE_LIMIT_CONFIRM_CLAIM {NO_RATE}": ["free:10/h"],
    f"RATE_LIMIT_REGISTER {NO_RATE}": ["Free=10/h"],
    "LOG_FORMAT must be text or json, not {!r}.": ["xml", "JSON"],
    "ALLOWED_HOSTS must hold host names without scheme and port, not {!r}.": [
        *("https://market.example", "market.example:443")
    ],
    "PUBLIC_URL must be scheme and host alone, such as https://marketplace.example.com, "
    "not {!r}.": [
        *("market.example", "https://market.example/", "https://market.example/api", "https://"),
        *("http://market.example", "ftp://market.example", "https://a@market.example"),
        "https://market.example:port",
    ],
    "CSRF_TRUSTED_ORIGINS must hold origins such as https://marketplace.example.com, not {!r}.": [
        "market.example"
    ],
    "LICENSES must hold SPDX identifiers, not {!r}.": ["MIT OR Apache-2.0"],
    "SOURCE_HOSTS must hold hosts with or without a port, such as git.example.com:8443, "
    "not {!r}.": [
        *("https://git.example.com", "git.example.com/team", "ada@git.example.com", "[::1]", "*"),
    ],
}
WRONG_FOR_SERVER = {
    "BIND must be an address without a port, such as 127.0.0.1, not {!r}.": [
        *("127.0.0.1:8000", "http://127.0.0.1", "::1")
    ],
    "PORT must be a whole number from 1 to 65535, not {!r}.": ["http", "70000"],
    "WEB_CONCURRENCY must be a whole number from 1 to 1000, not {!r}.": ["0"],
    "WEB_THREADS must be a whole number from 1 to 64, not {!r}.": ["many"],
    "METRICS_ADDRESS must look like 127.0.0.1:9100, not {!r}.": [
        *("9100", "127.0.0.1", "http://127.0.0.1:9100", "127.0.0.1:70000")
    ],
    "REQUEST_TIMEOUT must be a whole number from 1 to 600, not {!r}.": ["0", "1.5"],
    "ACCESS_LOG must be true or false, not {!r}.": ["/dev/stdout"],
}
WRONG_FOR_WORKER = {
    "DATABASE_TIMEOUTS must be none, or left out, not {!r}.": ["off", "5s"],
    "PGOPTIONS must hold options such as -c statement_timeout=5s, not {!r}; to send none, set "
    "DATABASE_TIMEOUTS=none instead.": [" ", "statement_timeout=5s", "-c statement_timeout"],
}


def environment_of(variables):
    """Production's environment with these variables; None removes one."""
    environment = PRODUCTION | variables
    return {name: value for name, value in environment.items() if value is not None}


def read(file, **variables):
    """The names that the file defines in exactly this environment."""
    with (
        patch.dict(os.environ, environment_of(variables), clear=True),
        # gunicorn.conf.py changes both.
        patch.object(sys, "path", [*sys.path]),
        patch.object(gunicorn.util, "write_error", gunicorn.util.write_error),
    ):
        return runpy.run_path(str(CHECKOUT / file))


def start(*command, **variables):
    """Run Python in exactly this environment; each warning is an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", *command],
        cwd=CHECKOUT,
        env=environment_of({"DJANGO_SETTINGS_MODULE": "marketplace.settings"} | variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
