#!/usr/bin/env python
import os
import secrets
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError
from psycopg.errors import UndefinedTable

from marketplace.acting import acting


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "marketplace.settings")
    # libpq reads this, and pg_stat_activity then tells commands and web processes apart.
    os.environ.setdefault("PGAPPNAME", " ".join(["marketplace manage.py", *sys.argv[1:2]]))
    if sys.argv[1:2] == ["collectstatic"]:
        # It needs neither variable, and the build of an image knows no secrets.
        os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
        os.environ.setdefault("DATABASE_URL", "postgres://build/none")
    try:
        with acting("command", " ".join(sys.argv[1:2])):
            execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, OperationalError, ProgrammingError) as error:
        sentence = sentence_of(error)
        if sentence is None or "--traceback" in sys.argv:
            raise
        sys.exit(sentence)


def sentence_of(error):
    """What a deployer reads in place of a traceback; None for a mistake in the code."""
    if isinstance(error, ProgrammingError):
        is_missing = isinstance(error.__cause__, UndefinedTable)
        return "The database is not migrated: run migrate first." if is_missing else None
    return str(error).strip()


if __name__ == "__main__":
    main()
