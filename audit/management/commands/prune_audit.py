from django.conf import settings

from audit.models import AuditDraft, AuditEvent
from marketplace.acting import ActingCommand


class Command(ActingCommand):
    help = "Delete audit events that are older than AUDIT_DAYS, and record that."

    def handle(self, **options):
        AuditDraft.objects.complete_abandoned()
        if not settings.AUDIT_DAYS:
            self.stdout.write("AUDIT_DAYS=0: every event is kept.")
            return
        number = AuditEvent.objects.prune(settings.AUDIT_DAYS)
        self.stdout.write(f"Deleted {number:,} events older than {settings.AUDIT_DAYS} days.")
