"""manage.py delete_tokens_of_runs (contract 31.2, 31.7)"""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from agents.models import AgentToken
from publishers.models import ExchangedToken

LONG_AGO = timezone.now() - timedelta(days=30, minutes=1)


@pytest.mark.contract("31.2", "31.7")
@pytest.mark.usefixtures("publisher")
def test_tokens_of_runs_go_thirty_days_after_they_have_expired(issuer, exchange, agent, capsys):
    for _ in range(2):
        assert exchange(issuer.token()).status_code == 201
    old, new = agent.tokens.of_runs()
    AgentToken.objects.filter(pk__in=[old.pk, agent.token.pk]).update(expires_at=LONG_AGO)
    spent, still_valid = ExchangedToken.objects.order_by("pk")
    ExchangedToken.objects.filter(pk=spent.pk).update(expires_at=LONG_AGO)

    for number in (1, 0):
        call_command("delete_tokens_of_runs")
        assert capsys.readouterr().out == f"Deleted {number} tokens of runs.\n"

    assert set(agent.tokens.all()) == {new, agent.token}
    assert ExchangedToken.objects.get() == still_valid
