from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from audit.models import AuditEvent
from marketplace.acting import ActingCommand
from submissions.models import Submission

DAYS = 30


class Command(ActingCommand):
    help = f"Delete the texts of submissions that were rejected more than {DAYS} days ago."

    def handle(self, **options):
        before = timezone.now() - timedelta(days=DAYS)
        with transaction.atomic():
            number = Submission.objects.delete_bytes_rejected_before(before)
            if number:
                action = "delete_rejected_submissions"
                AuditEvent.objects.record(action, kind="submission", count=number)
        self.stdout.write(f"Deleted the texts of {number:,} rejected submissions.")
