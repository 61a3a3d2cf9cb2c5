from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from agents.models import AgentToken
from audit.models import AuditEvent
from marketplace.acting import ActingCommand
from publishers.models import ExchangedToken

DAYS = 30


class Command(ActingCommand):
    help = f"Delete the tokens of runs of CI that expired more than {DAYS} days ago."

    def handle(self, **options):
        before = timezone.now() - timedelta(days=DAYS)
        with transaction.atomic():
            number, _ = AgentToken.objects.of_runs().filter(expires_at__lt=before).delete()
            if number:
                action = "delete_tokens_of_runs"
                AuditEvent.objects.record(action, kind="agenttoken", count=number)
        ExchangedToken.objects.expired().delete()
        self.stdout.write(f"Deleted {number:,} tokens of runs.")
