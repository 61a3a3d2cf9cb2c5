from datetime import timedelta

from django.core.management.base import BaseCommand
from django.utils import timezone

from agents.models import AgentToken
from publishers.models import ExchangedToken

DAYS = 30


class Command(BaseCommand):
    help = f"Delete the tokens of runs of CI that expired more than {DAYS} days ago."

    def handle(self, **options):
        before = timezone.now() - timedelta(days=DAYS)
        number, _ = AgentToken.objects.of_runs().filter(expires_at__lt=before).delete()
        ExchangedToken.objects.expired().delete()
        self.stdout.write(f"Deleted {number:,} tokens of runs.")
