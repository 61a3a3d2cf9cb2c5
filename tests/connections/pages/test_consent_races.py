"""The client goes while a person connects it (contract 35.14, 35.20)"""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection as database
from django.db import transaction
from django.utils import timezone

from audit.models import AuditEvent
from connections.models import AuthorizationCode, OAuthClient
from tests.api.concurrency import during
from tests.connections.pages.consenting import text_of
from tests.factories import consent

pytestmark = pytest.mark.usefixtures("transactional_db")


@pytest.mark.contract("35.20")
@pytest.mark.parametrize("go", [OAuthClient.delete, OAuthClient.block])
def test_a_client_that_is_deleted_or_blocked_during_allow_is_a_page(
    person, address_of, claude, agent, go
):
    page = person.open(address_of())

    def change():
        agent.lock()
        go(OAuthClient.objects.get(pk=claude.pk))

    [response] = during(change, lambda: person.send(page))

    assert response.status_code == 400
    assert "This marketplace does not know the app that sent you here" in text_of(response)
    assert not AuthorizationCode.objects.exists()
    assert not AuditEvent.objects.filter(action="allow_connection").exists()


@pytest.mark.contract("35.14")
def test_a_client_that_a_person_is_connecting_is_not_deleted(person, claude, agent):
    """Nothing waits for it, either."""
    OAuthClient.objects.update(created_at=timezone.now() - timedelta(days=2))

    def prune():
        try:
            with database.cursor() as cursor:
                cursor.execute("SET lock_timeout = '50ms'")
            return OAuthClient.objects.prune()
        finally:
            database.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        code = consent(agent, client=claude)
        assert pool.submit(prune).result() == 0

    assert OAuthClient.objects.prune() == 0
    AuthorizationCode.objects.filter(pk=code.pk).delete()
    assert OAuthClient.objects.prune() == 0  # It was used just now.
