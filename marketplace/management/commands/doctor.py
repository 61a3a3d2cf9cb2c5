from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError

from marketplace import doctor
from marketplace.doctor_requests import first_line, local_url, requests_to_itself


class Command(BaseCommand):
    help = "Check this deployment from inside, and say what to do where something is wrong."
    requires_system_checks = []  # It shows them itself.

    def add_arguments(self, parser):
        parser.add_argument(
            "--url",
            help="the public address to request (default: PUBLIC_URL, if it is set; or this "
            "machine's PORT, if that is set and REQUIRE_HTTPS is false)",
        )
        parser.add_argument("--backups", metavar="FOLDER", help="where backups are written")

    def handle(self, *, url, backups, **options):
        url = (url or settings.PUBLIC_URL or local_url() or "").rstrip("/")
        of_database = {
            "durability": doctor.durability,
            "connections": doctor.connection_limit,
            "migrations": doctor.migrations,
            "statistics": doctor.statistics,
            "findings": doctor.findings,
            "audit trail": doctor.audit_trail,
            "clocks": doctor.clocks,
            "sources": doctor.sources,
            "sign-in": doctor.sign_in,
            "replicas": doctor.replicas,
        }
        others = {
            "python": doctor.python,
            "configuration": doctor.configuration,
            "connectors": doctor.connectors,
            "redis": doctor.redis,
            "static files": doctor.static_files,
            "disk": doctor.disk,
            "requests": lambda: requests_to_itself(url),
            "backups": lambda: doctor.backups(backups),
        }
        problems = []
        if self.is_well("database", doctor.database):
            others = of_database | others
        else:
            problems.append("database")
        problems += [name for name, check in others.items() if not self.is_well(name, check)]
        if problems:
            self.stdout.write(f"Fix {' and '.join(problems)}.")
            raise SystemExit(1)
        self.stdout.write("All is well.")

    def is_well(self, name, check):
        """Run the check and print its line."""
        try:
            text, mark = check(), "ok"
        except doctor.Problem as problem:
            text, mark = str(problem), "FIX"
        except DatabaseError as error:
            text = f"PostgreSQL says: {first_line(error)}. See docs/deploy/errors.md."
            mark = "FIX"
        if text is None:
            text, mark = NOT_CHECKED[name], "-"
        for line in text.splitlines():
            self.stdout.write(f"{mark:4}{name:15}{line}")
        return mark != "FIX"


NOT_CHECKED = {
    "configuration": "Not checked: REQUIRE_HTTPS is false, as on your own machine.",
    "replicas": "DATABASE_REPLICA_URL is not set.",
    "sources": "None. For the regular jobs, run python manage.py sync_sources --every 1.",
    "sign-in": "OIDC_ISSUER is not set: staff log in with passwords.",
    "connectors": "OAUTH is false: agents send their tokens.",
    "redis": "CACHE_URL is not set: PostgreSQL counts the rate limits.",
    "requests": "Not checked: set PUBLIC_URL, or name it with --url.",
    "backups": "Not checked: name their folder with --backups.",
}
