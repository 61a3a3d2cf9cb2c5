"""Instances of models, from the rows of statements by hand."""

from collections import namedtuple

import pytest

from agents.models import Agent, AgentToken
from marketplace.rows import instance_of
from tests.factories import AgentFactory

pytestmark = pytest.mark.django_db

Row = namedtuple("Row", "total token_id token_agent_id token_scopes agent_id")  # noqa: PYI024


def test_an_instance_has_the_columns_with_its_prefix_and_the_rows_that_it_refers_to():
    row = Row(7, 2, 1, ["read"], 1)

    agent = instance_of(Agent, row, "agent_")
    token = instance_of(AgentToken, row, "token_", agent=agent)

    assert (token.pk, token.scopes, token.agent_id, token.agent) == (2, ["read"], 1, agent)
    assert (agent.pk, agent.get_deferred_fields() >= {"handle", "name"}) == (1, True)


def test_a_field_that_the_row_lacks_is_read_when_it_is_needed(django_assert_num_queries):
    row = Row(0, 0, 0, [], AgentFactory(handle="caller").pk)

    with django_assert_num_queries(1):
        assert instance_of(Agent, row, "agent_").handle == "caller"
