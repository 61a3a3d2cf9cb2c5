from django.db import transaction
from django.utils import timezone

from audit.models import AuditEvent
from connections.models import AuthorizationCode, Connection
from marketplace.acting import ActingCommand


class Command(ActingCommand):
    help = "End every connection, as after a restore: a backup may hold some that have ended since."

    @transaction.atomic
    def handle(self, **options):
        AuthorizationCode.objects.filter(spent_at=None).update(spent_at=timezone.now())
        number = Connection.objects.end_all("All connections were ended")
        if number:
            AuditEvent.objects.record("end_connections", kind="connection", count=number)
        self.stdout.write(f"Ended {number:,} connections. Their clients have to sign in again.")
