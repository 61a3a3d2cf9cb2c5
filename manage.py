#!/usr/bin/env python
import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "marketplace.settings")
    # libpq reads this, and pg_stat_activity then tells commands and web processes apart.
    os.environ.setdefault("PGAPPNAME", " ".join(["marketplace manage.py", *sys.argv[1:2]]))
    execute_from_command_line(sys.argv)
