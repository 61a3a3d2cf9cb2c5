"""Reading the environment strictly: a wrong value stops the start and names its variable."""

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from marketplace.ratelimits.rates import FREE_TIER
from marketplace.ratelimits.rates import PATTERN as RATE

STARTUP_OPTIONS = re.compile(r"\s*((-c\s*|--)[\w.-]+=\S+\s*)+")
TIMEOUTS = "-c statement_timeout=5s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s"
TIER = re.compile(r"[a-z][a-z0-9-]{0,15}")
CHECKOUT = Path(__file__).resolve().parent.parent
LINE = re.compile(r"""([A-Za-z_]\w*)=(?P<quote>["']?)(.*)(?P=quote)""")


def read_file():
    """Set the variables of `.env` that the environment lacks. ENV_FILE names another file.

    No shell reads it: a value is everything after the `=`, including `#`, `$` and `&`, without
    quotes around the whole. systemd's EnvironmentFile and `docker run --env-file` read a file
    without quotes and backslashes the same way.
    """
    name = os.environ.get("ENV_FILE", ".env")
    if name in {"", os.devnull}:
        return
    path, is_named = CHECKOUT / name, "ENV_FILE" in os.environ
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, FileNotFoundError | IsADirectoryError) and not is_named:
            return
        reason = getattr(error, "strerror", error)
        raise ImproperlyConfigured(
            f"{'ENV_FILE' if is_named else path} cannot be read: {reason}."
        ) from error
    for number, line in enumerate(content.splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = LINE.fullmatch(text)
        if match is None or "\0" in text:  # Not the line itself, which may hold a secret.
            raise ImproperlyConfigured(f"Line {number} of {path} must look like NAME=value.")
        os.environ.setdefault(match[1], match[3])


def text(name, default=None):
    """The variable's value, or the default. Without a default the variable is required."""
    value = os.environ.get(name, "").strip() or default
    if value is None:
        raise ImproperlyConfigured(
            f"{name} is not set: see the table of variables in docs/deploy/variables.md."
        )
    return value


def printable(name):
    """The text of a variable that is sent in a header."""
    value = text(name)
    if not (value.isascii() and value.isprintable()):
        raise ImproperlyConfigured(f"{name} must hold printable ASCII characters.")
    return value


def secret(name, *, min_length):
    value = text(name)
    if len(value) < min_length:
        raise ImproperlyConfigured(f"{name} must have {min_length} random characters or more.")
    return value


def boolean(name, *, default):
    value = text(name, str(default)).lower()
    if value in {"true", "1", "yes", "on"}:
        return True
    if value in {"false", "0", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")


def whole_number(name, *, default, low, high):
    value = text(name, str(default))
    if not re.fullmatch(r"\d{1,12}", value) or not low <= int(value) <= high:
        raise ImproperlyConfigured(
            f"{name} must be a whole number from {low} to {high}, not {value!r}."
        )
    return int(value)


def words(name, default="", *, pattern=None, meaning=""):
    """A comma-separated list of words that match the pattern."""
    values = [word.strip() for word in text(name, default).split(",") if word.strip()]
    for word in values:
        if pattern and not re.fullmatch(pattern, word):
            raise ImproperlyConfigured(f"{name} must hold {meaning}, not {word!r}.")
    return values


def matching(name, pattern, *, default, meaning):
    value = text(name, default)
    if not re.fullmatch(pattern, value):
        raise ImproperlyConfigured(f"{name} must be {meaning}, not {value!r}.")
    return value


def choice(name, default, *others):
    """One of these words; the first is the default.

    An empty value is an error: a variable that nobody filled in must not open anything.
    """
    if os.environ.get(name, default).strip() == "":
        raise ImproperlyConfigured(f"{name} must not be empty: leave it out for {default}.")
    *first, last = [default, *others]
    meaning = f"{', '.join(first)} or {last}"
    return matching(name, "|".join([default, *others]), default=default, meaning=meaning)


def address(name):
    """`(host, port)` from `host:port`; None if the variable is not set."""
    value = text(name, "")
    if not value:
        return None
    host, _, port = value.rpartition(":")
    if not re.fullmatch(r"[\w.-]+:\d{1,5}", value) or int(port) > 65535:
        raise ImproperlyConfigured(f"{name} must look like 127.0.0.1:9100, not {value!r}.")
    return host, int(port)


def writable_folder(name):
    """The folder; empty if the variable is not set."""
    value = text(name, "")
    # For a name that is too long, os.access says no, and Path raises.
    if value and not (os.access(value, os.W_OK | os.X_OK) and Path(value).is_dir()):
        raise ImproperlyConfigured(
            f"{name} must be a folder that this user may write to, not {value!r}."
        )
    return value


def rates(name, default):
    """`{tier: rate}` from `20/h`, or from `free=20/h,plus=100/h` with one rate per tier."""
    limits = {}
    for entry in words(name, default):
        tier, _, rate = entry.rpartition("=")
        tier = tier or FREE_TIER
        if not RATE.fullmatch(rate) or not TIER.fullmatch(tier):
            raise ImproperlyConfigured(
                f"{name} must be a rate such as 20/h, or free=20/h,plus=100/h, not {entry!r}."
            )
        if tier in limits:
            raise ImproperlyConfigured(f"{name} gives the tier {tier} two rates.")
        limits[tier] = rate
    if FREE_TIER not in limits:
        raise ImproperlyConfigured(f"{name} must give a rate for the tier free, such as free=20/h.")
    return limits


def database(name, url=None):
    """A `postgres://` URL as Django's settings for one database, which may have several hosts."""
    url = url or text(name)
    try:
        parts = urlsplit(url)
        login, at, hosts = parts.netloc.rpartition("@")
        servers = [
            dj_database_url.parse(parts._replace(netloc=login + at + host).geturl())
            for host in hosts.split(",")
        ]
        settings = servers[0]
        if len(servers) > 1:
            for key in ("HOST", "PORT"):
                settings[key] = ",".join(str(server[key]) for server in servers)
        usable = settings["ENGINE"] == "django.db.backends.postgresql" and settings["NAME"]
    except (ValueError, KeyError):
        usable = False
    if not usable:
        # Not the value itself, which contains a password.
        raise ImproperlyConfigured(
            f"{name} must look like postgres://user:password@host:5432/name (PostgreSQL only), "
            "where the password has %23 for #, %2F for / and %3F for ?."
        )
    return settings


def startup_options():
    """libpq's PGOPTIONS for a web process: the variable's own value, or else the timeouts."""
    timeouts = matching(
        "DATABASE_TIMEOUTS", "default|none", default="default", meaning="none, or left out"
    )
    options = os.environ.get("PGOPTIONS") or (TIMEOUTS if timeouts == "default" else "")
    if options and not STARTUP_OPTIONS.fullmatch(options):
        raise ImproperlyConfigured(
            f"PGOPTIONS must hold options such as -c statement_timeout=5s, not {options!r}; "
            "to send none, set DATABASE_TIMEOUTS=none instead."
        )
    return options


def cache(name):
    """The store of the rate limits: Redis if the variable names one, otherwise PostgreSQL."""
    url = text(name, "")
    if not url:
        return {"BACKEND": "marketplace.ratelimits.counters.PostgresCounters"}
    # Imported here, because the import takes a sixth of a process's start.
    from redis.connection import parse_url  # noqa: PLC0415

    try:
        parse_url(url)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must look like redis://host:6379/0.") from error
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": url,
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }
