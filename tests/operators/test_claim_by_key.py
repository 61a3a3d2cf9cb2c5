"""Somebody who has an operator key claims another agent with it, and enters nothing else."""

import re

import pytest

from agents.models import OperatorKey
from agents.tokens import mint_key
from tests.factories import AgentFactory, claim
from tests.operators.claiming import CONFIRM, OPERATOR, claim_of, code_in


@pytest.mark.contract("7.2")
def test_a_key_alone_claims_an_agent_for_the_same_person(operator, client_of, url, key):
    claim(AgentFactory(), key=key, name="Ada of the Harbor", email="harbor@example.com")
    agent = AgentFactory()

    page = operator.submit(f"/claim/{agent.claim.secret}", key=key)
    assert client_of(agent).post(CONFIRM, {"code": code_in(page)}).status_code == 200

    agent.claim.refresh_from_db()
    person = agent.claim.operator_name, agent.claim.operator_email, agent.claim.key
    newest = "Ada of the Harbor", "harbor@example.com", OperatorKey.objects.get()
    assert person == newest


@pytest.mark.contract("7.2")
def test_a_key_that_opens_nothing_claims_nothing(operator, url, client):
    for fields in ({"key": mint_key()}, {"key": mint_key(), **OPERATOR}):
        page = operator.submit(url, **fields)

        assert page.status_code == 400
        told = re.findall('<li><a href="#(.*?)">(.*?)</a>: (.*?)</li>', page.content.decode())
        sentence = (
            "This key is not valid. A new key becomes valid once its agent confirms the code."
        )
        assert told == [("id_key", "Your operator key", sentence)]
    assert claim_of(client)["status"] == "unclaimed"
