"""The checks of `manage.py doctor`: each returns a sentence if all is well, or raises a Problem.

A Problem says what to do. A check returns None if it does not apply to the deployment.
"""

import platform
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

from django.conf import settings
from django.core import checks
from django.core.cache import cache
from django.db import DatabaseError, connections

from infrastructure.server.headers import WARNING, is_python_slow
from marketplace import environment
from marketplace.doctor_requests import Problem, advice_for, first_line
from marketplace.documents import Unreachable, within_bounds
from marketplace.features import has_connectors
from marketplace.issuers import PublishedKeys
from marketplace.middleware.health import MAX_DIFFERENCE, clock_difference, has_pending_migrations

MIN_VERSION = 140000
# With one of these off, a crash loses acknowledged writes, or the whole database.
DURABLE = ["fsync", "full_page_writes", "synchronous_commit"]
MAX_BEHIND = 16 * 2**20  # bytes of the log
MAX_BACKUP_AGE = 26  # hours: a day, plus the time that a backup takes
# The number of entries with each code; NULL stands for those that were never inspected.
FINDINGS = """
SELECT code, count(*)
FROM (SELECT findings FROM catalogue_{kind} ORDER BY id DESC LIMIT {newest}) AS entry,
    unnest(coalesce(findings, '{{NULL}}')) AS code
GROUP BY code
"""
SOURCES = """
SELECT (SELECT holder FROM sources_clock WHERE leased_until > now()), count(*),
    array_agg(name || ': ' || reason ORDER BY name) FILTER (WHERE state = 'failing')
FROM sources_source
"""
WAYS_IN = """
SELECT string_agg(username, ', ' ORDER BY username), bool_or(is_superuser)
FROM people_wayin JOIN auth_user ON auth_user.id = user_id
WHERE is_active
"""
AUDIT_TRAIL = """
SELECT (
    SELECT count(*) FROM pg_trigger WHERE tgrelid = 'audit_auditevent'::regclass AND tgenabled = 'O'
), (SELECT extract(epoch FROM now() - min(at)) / 86400 FROM audit_auditevent)
"""
TRIGGERS_OF_TRAIL = 2
NEWEST = 100_000  # entries of which doctor counts the findings
MANY = 1000  # entries, below which PostgreSQL plans well without statistics
RESERVED = 100 * 2**20  # bytes of disk space besides the downloads


def row_of(statement, using="default"):
    with connections[using].cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()


def python():
    version = f"Python {platform.python_version()}."
    return f"{version} {WARNING}" if is_python_slow() else version


def database():
    [version, number, size, name] = row_of(
        "SELECT current_setting('server_version'), current_setting('server_version_num')::int,"
        " pg_size_pretty(pg_database_size(current_database())), current_database()"
    )
    if number < MIN_VERSION:
        raise Problem(f"PostgreSQL {version} is too old. Upgrade to 14 or newer.")
    return f"PostgreSQL {version.split()[0]}; the database {name} has {size}."


def durability():
    off = [name for name in DURABLE if row_of(f"SHOW {name}") == ("off",)]
    if off:
        raise Problem(f"A crash loses data. Turn on in PostgreSQL: {', '.join(off)}.")
    return "A crash loses nothing that was acknowledged."


def connection_limit():
    [limit, open_now] = row_of(
        "SELECT current_setting('max_connections')::int"
        " - current_setting('superuser_reserved_connections')::int, count(*)::int"
        " FROM pg_stat_activity WHERE backend_type = 'client backend'"
    )
    processes = environment.whole_number("WEB_CONCURRENCY", default=2, low=1, high=1000)
    threads = environment.whole_number("WEB_THREADS", default=4, low=1, high=64)
    needed = processes * (threads + 1)  # one thread of each process is for slow requests
    if needed > limit:
        raise Problem(
            f"This host opens up to {needed} connections (WEB_CONCURRENCY, WEB_THREADS), and "
            f"PostgreSQL accepts {limit}. Lower one, raise max_connections, or use a pooler."
        )
    return f"{open_now} of {limit} are in use; this host opens up to {needed}."


def statistics():
    [entries, estimate] = row_of(
        f"SELECT (SELECT count(*) FROM (SELECT FROM catalogue_skill LIMIT {MANY}) AS entries),"  # noqa: S608
        " (SELECT reltuples FROM pg_class WHERE oid = 'catalogue_skill'::regclass)"
    )
    if entries == MANY and estimate < 0:
        raise Problem(
            "PostgreSQL has no statistics, as after a restore. Run ANALYZE (psql -c ANALYZE)."
        )
    return "PostgreSQL has statistics to plan with, or needs none yet."


def migrations():
    if has_pending_migrations():
        raise Problem("The database is not migrated. Run python manage.py migrate.")
    return "All are applied."


def findings():
    counts = Counter()
    for kind in ("skill", "persona"):
        with connections["default"].cursor() as cursor:
            cursor.execute(FINDINGS.format(kind=kind, newest=NEWEST))
            counts.update(dict(cursor.fetchall()))
    if counts[None]:
        raise Problem(
            f"{counts[None]:,} entries are from a release that inspected nothing. Run python "
            "manage.py inspect_catalogue."
        )
    text = ", ".join(f"{number:,} {code}" for code, number in counts.most_common())
    return f"{text}. To see them, filter the admin's lists by Needs work." if text else "None."


def sources():
    holder, number, failing = row_of(SOURCES)
    if not (holder or number):
        return None
    if holder is None:
        raise Problem(
            "The clock process does not run, so sources are not synced. Start python "
            "manage.py sync_sources --every 1."
        )
    if failing:
        raise Problem("\n".join(failing))
    return f"{number:,}; none is failing. The clock process is {holder}."


def sign_in():
    issuer = settings.OIDC_ISSUER
    if not issuer:
        return None
    names, has_superuser = row_of(WAYS_IN)
    if settings.OIDC_ONLY and not has_superuser:
        raise Problem(
            "OIDC_ONLY is true, and no active superuser is marked as the way in: nobody gets in "
            "while the provider is down. Run python manage.py allow_password USERNAME."
        )
    try:
        within_bounds(lambda: True, PublishedKeys.documents, issuer)
    except Unreachable as error:
        advice = advice_for(str(error), otherwise="Correct OIDC_ISSUER.")
        raise Problem(f"{issuer} cannot be used: {error}. {advice}") from error
    ways_in = f" Passwords are only for: {names}." if settings.OIDC_ONLY else ""
    return f"{issuer} answers.{ways_in}"


def connectors():
    if has_connectors() and not settings.PUBLIC_URL:
        raise Problem("OAUTH is true: set PUBLIC_URL, with which clients compare the issuer.")
    return f"Clients sign in at {settings.PUBLIC_URL}/mcp/oauth." if has_connectors() else None


def audit_trail():
    number, days = row_of(AUDIT_TRAIL)
    if number < TRIGGERS_OF_TRAIL:
        raise Problem(
            "Somebody has dropped or disabled a trigger, so events can be changed. Compare the "
            "trail with the copy outside, and create the trigger again (audit/schema/events.sql)."
        )
    if settings.AUDIT_DAYS and (days or 0) > settings.AUDIT_DAYS + 1:
        raise Problem(
            "It has events older than AUDIT_DAYS. Start the clock process, or run python manage.py "
            "prune_audit every day."
        )
    return f"Events of {days or 0:.0f} days; nobody can change them without dropping a trigger."


def clocks():
    difference = clock_difference()
    if abs(difference) > MAX_DIFFERENCE:
        direction = "ahead of" if difference > 0 else "behind"
        raise Problem(
            f"This host is {abs(difference):.0f} seconds {direction} the database. Synchronize "
            "both, for example with timedatectl set-ntp true."
        )
    return f"This host and the database differ by {abs(difference):.1f} seconds."


def replicas():
    names = [name for name in connections if name.startswith("replica-")]
    if not names:
        return None
    [position] = row_of("SELECT pg_current_wal_lsn()")
    for name in names:
        host = settings.DATABASES[name]["HOST"]
        try:
            [behind] = row_of(
                f"SELECT CASE WHEN pg_is_in_recovery() THEN '{position}'"
                "::pg_lsn - pg_last_wal_replay_lsn() END",
                using=name,
            )
        except DatabaseError as error:
            raise Problem(f"{name} ({host}) does not respond: {first_line(error)}") from error
        if behind is None:
            raise Problem(f"{name} ({host}) is not a replica. Correct DATABASE_REPLICA_URL.")
        if behind > MAX_BEHIND:
            raise Problem(
                f"{name} ({host}) is {behind / 2**20:.0f} MB behind, so nothing is read there. "
                "Look at its log."
            )
    return f"{len(names)} respond and keep up."


def redis():
    if not environment.text("CACHE_URL", ""):
        return None
    try:
        cache.get("doctor")
    except Exception as error:
        raise Problem(
            f"Redis does not respond, so limited requests get 503: {first_line(error)}"
        ) from error
    return "Redis responds, and counts the rate limits."


def static_files():
    built, own = settings.STATIC_ROOT, settings.BASE_DIR / "marketplace/static"
    if not (built / "pages.css").exists():
        return "Served from the apps' folders; python manage.py collectstatic compresses them."
    stale = [
        file.name
        for file in own.iterdir()
        if not (built / file.name).exists() or (built / file.name).read_bytes() != file.read_bytes()
    ]
    if stale:
        raise Problem(
            f"{built} is from another release ({stale[0]} differs). Run python manage.py "
            "collectstatic --no-input, and restart."
        )
    return "Served compressed, as collectstatic wrote them."


def disk():
    try:
        folder = tempfile.gettempdir()
    except FileNotFoundError as error:
        raise Problem("No temporary folder is writable. Set TMPDIR to one that is.") from error
    free = shutil.disk_usage(folder).free
    needed = settings.DOWNLOAD_BYTES + RESERVED
    if free < needed:
        raise Problem(
            f"{folder} has {free / 2**20:.0f} MB free, and downloads may take "
            f"{needed / 2**20:.0f}. Free some, set TMPDIR to another folder, or lower "
            "DOWNLOAD_BYTES."
        )
    return f"{folder} has {free / 2**30:.1f} GB free."


def backups(folder):
    if folder is None:
        return None
    try:
        files = [path for path in Path(folder).glob("*") if path.is_file() and path.stat().st_size]
    except OSError as error:
        raise Problem(f"The folder cannot be read: {error.strerror}.") from error
    if not files:
        raise Problem(f"{folder} holds no backup. See docs/deploy/backup.md.")
    newest = max(files, key=lambda path: path.stat().st_mtime)
    hours = (time.time() - newest.stat().st_mtime) / 3600
    if hours > MAX_BACKUP_AGE:
        raise Problem(
            f"The newest, {newest.name}, is {hours:.0f} hours old. Check the job that writes it."
        )
    return f"The newest, {newest.name}, is {hours:.0f} hours old."


def configuration():
    if not settings.REQUIRE_HTTPS:
        return None
    warnings = [
        f"{warning.msg} {warning.hint or ''}".rstrip()
        for warning in checks.run_checks(include_deployment_checks=True)
        if not warning.is_silenced()
    ]
    if warnings:
        raise Problem("\n".join(warnings))
    return "manage.py check --deploy finds nothing."
