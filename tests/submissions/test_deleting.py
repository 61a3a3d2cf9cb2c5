"""manage.py delete_rejected_submissions (contract 29.10)."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from submissions.models import Submission
from tests.factories import SubmissionFactory


@pytest.mark.contract("29.10")
@pytest.mark.django_db
def test_texts_of_rejected_submissions_go_after_thirty_days(capsys):
    old, new, published, pending = (SubmissionFactory() for _ in range(4))
    for row in (old, new):
        row.reject("No.")
    long_ago = timezone.now() - timedelta(days=30, minutes=1)
    Submission.objects.filter(pk=old.pk).update(decided_at=long_ago)
    Submission.objects.filter(pk=published.pk).update(state="published", decided_at=long_ago)
    Submission.objects.filter(pk=pending.pk).update(created_at=long_ago)

    for number in (1, 0):
        call_command("delete_rejected_submissions")
        assert capsys.readouterr().out == f"Deleted the texts of {number} rejected submissions.\n"

    kept = Submission.objects.exclude(content=None)
    assert set(kept) == {new, published, pending}
    old.refresh_from_db()
    assert (old.state, old.reason, old.size) == ("rejected", "No.", 0)
