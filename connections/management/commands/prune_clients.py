from django.db import transaction

from audit.models import AuditEvent
from connections.models import AuthorizationCode, Connection, OAuthClient
from marketplace.acting import ActingCommand


class Command(ActingCommand):
    help = "Delete clients that nobody has used, and connections that ended 30 days ago."

    @transaction.atomic
    def handle(self, **options):
        AuthorizationCode.objects.outdated().delete()
        Connection.objects.outdated().delete()
        number = OAuthClient.objects.prune()
        if number:
            AuditEvent.objects.record("prune_clients", kind="oauthclient", count=number)
        self.stdout.write(f"Deleted {number:,} clients.")
