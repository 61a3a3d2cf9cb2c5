import re

from django.core.management.base import CommandError
from django.db import connection, transaction

from audit.models import AuditEvent
from catalogue.skill_md import MAX_NAME
from interfaces.git.models import MarketplaceName
from interfaces.git.names import RESERVED, shortened
from marketplace.acting import ActingCommand
from marketplace.models import SLUG


class Command(ActingCommand):
    help = (
        "Name the marketplaces of the git repositories. A client keeps only one marketplace of "
        "each name, so choose a name that is unique among the marketplaces that your agents use. "
        "Clients that have added the old name have to add the new one."
    )

    def add_arguments(self, parser):
        parser.add_argument("name", help="a-z, 0-9 and hyphens, such as acme-skills")

    def handle(self, *, name, **options):
        if len(name) > MAX_NAME or not re.fullmatch(SLUG, name):
            raise CommandError(
                f"The name must be 1 to {MAX_NAME} characters of a-z, 0-9 and single hyphens "
                "between them."
            )
        if name in RESERVED:
            raise CommandError(f"Claude Code reserves the name {name}. Choose another one.")
        with transaction.atomic(), connection.cursor() as cursor:
            if not MarketplaceName.objects.filter(name=name).exists():
                MarketplaceName.objects.update_or_create(pk=1, defaults={"name": name})
                AuditEvent.objects.record("name_marketplace", kind="marketplace", names=[name])
            # Cached pages show the name, and are as old as the catalogue version.
            cursor.execute("SELECT search_bump_version()")
        self.stdout.write(
            f"The marketplaces are called {name}, {shortened(f'{name}-me')} and {name}-<persona>."
        )
