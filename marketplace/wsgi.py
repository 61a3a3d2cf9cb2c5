"""What gunicorn imports in each web process: `gunicorn marketplace.wsgi`."""

import os
from importlib import import_module
from threading import Thread

import django

from marketplace import environment

MAX_WAIT = 6  # seconds; longer than statement_timeout, so that PostgreSQL ends what it can


def start():
    """Make this process ready for requests, and return its application.

    It loads Django and everything that a first request needs, limits how long requests wait for
    the database, and starts a thread that compares the clocks.
    """
    set_environment()
    django.setup(set_prefix=False)
    # These read the settings when they are imported.
    from django.conf import settings  # noqa: PLC0415

    from infrastructure.metrics import measured  # noqa: PLC0415
    from marketplace.application import Application  # noqa: PLC0415
    from marketplace.middleware.health import clocks  # noqa: PLC0415
    from marketplace.slow_views import slow_client_of, slow_paths  # noqa: PLC0415

    limit_waits(settings.DATABASES)
    application = measured(Application())
    load(settings)
    # For the worker, which asks before it calls the application.
    application.slow_client = slow_client_of(slow_paths())
    # In a thread, so that a process starts even if the database is down.
    Thread(target=clocks.compare_at_start, name="compares clocks", daemon=True).start()
    return application


def set_environment():
    """Name the settings; and for libpq the connections, and the limits of their statements."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "marketplace.settings")
    # For web processes only: pg_stat_activity shows the name, and a request must not wait long for
    # a lock or a statement, as a migration or an import may.
    os.environ.setdefault("PGAPPNAME", "marketplace web")
    os.environ["PGOPTIONS"] = environment.startup_options()


def limit_waits(databases):
    """With several servers, let no request wait for a hanging one. Commands may wait."""
    from infrastructure.db.base import DatabaseWrapper  # noqa: PLC0415

    if len(databases) > 1 or "," in databases["default"]["HOST"]:
        DatabaseWrapper.max_wait = MAX_WAIT


def load(settings):
    """Load what the first request, the first MCP message and the first clone would wait for."""
    import_module(settings.ROOT_URLCONF)
    import_module("interfaces.mcp.operations").operations()  # from the OpenAPI document
    if settings.GIT:
        import_module("interfaces.git.packs")  # dulwich


application = start()
