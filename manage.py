#!/usr/bin/env python
import os
import secrets
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "marketplace.settings")
    # libpq reads this, and pg_stat_activity then tells commands and web processes apart.
    os.environ.setdefault("PGAPPNAME", " ".join(["marketplace manage.py", *sys.argv[1:2]]))
    if sys.argv[1:2] == ["collectstatic"]:
        # It uses neither, and the build of an image knows no secrets.
        os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
        os.environ.setdefault("DATABASE_URL", "postgres://build/none")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(error))


if __name__ == "__main__":
    main()
