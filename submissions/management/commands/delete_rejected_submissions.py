from datetime import timedelta

from django.core.management.base import BaseCommand
from django.utils import timezone

from submissions.models import Submission

DAYS = 30


class Command(BaseCommand):
    help = f"Delete the texts of submissions that were rejected more than {DAYS} days ago."

    def handle(self, **options):
        before = timezone.now() - timedelta(days=DAYS)
        number = Submission.objects.delete_bytes_rejected_before(before)
        self.stdout.write(f"Deleted the texts of {number:,} rejected submissions.")
