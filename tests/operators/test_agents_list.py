"""The list of an operator's agents: searched and sorted (contract 19.19)"""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import AgentToken, OperatorClaim
from operators import agents_list
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    claim,
)


@pytest.fixture
def others(agent, key):
    """Two more agents of the operator, one with much and one with little."""
    ant, zebra = (AgentFactory(handle=handle, name=name) for handle, name in NAMES.items())
    for other in (ant, zebra):
        claim(other, key=key)
    bundled = SkillFactory(content="x" * 400)
    persona = PersonaFactory(title="The Archivist", content="x" * 800, skills=[bundled])
    PersonaInstallFactory(agent=zebra, persona=persona, is_active=True)
    PersonaInstallFactory(agent=zebra)
    SkillInstallFactory(agent=zebra, skill__content="x" * 4000, installed_digest="old")
    SkillInstallFactory(agent=zebra, skill=SkillFactory(slug="gone")).skill.recall("It leaks.")
    AgentToken.objects.filter(agent=zebra).update(last_used_at=timezone.now() - timedelta(hours=3))
    return ant, zebra


NAMES = {"ant": "Ant of the North", "zebra": "Zebra"}


def rows(console, query=""):
    """{handle: texts of the other cells}, in the order of the page."""
    page = console.get(f"/operator{query}")
    assert page.status_code == 200
    table = page.content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    return {
        re.search("/agents/([\\w-]+)", row)[1]: [
            " ".join(re.sub("<[^>]*>", " ", cell).split())
            for cell in re.findall("<td[^>]*>(.*?)</td>", row, re.DOTALL)
        ]
        for row in re.findall("<tr>(.*?)</tr>", table, re.DOTALL)
        if "/agents/" in row
    }


@pytest.mark.contract("19.19")
def test_it_shows_what_each_agent_has_needs_and_costs(console, others):
    assert rows(console) == {
        "ant": ["none", "0", "0", "0", "0", "never"],
        "caller": ["none", "0", "0", "0", "0", "never"],
        # 100 tokens of the bundled skill, 200 of the persona, 1,000 of the own skill.
        "zebra": ["The Archivist, 1 of 2", "2", "1", "1", "1,300", "about 3 hours ago"],
    }


@pytest.mark.contract("19.19")
def test_it_is_sorted(console, others):
    orders = {sort: ["zebra", "ant", "caller"] for sort in agents_list.SORTS}
    orders["name"] = orders["nonsense"] = ["ant", "caller", "zebra"]

    for sort, handles in orders.items():
        assert list(rows(console, f"?sort={sort}")) == handles, sort


def test_a_claim_may_be_released_while_the_list_is_read(console, others, monkeypatch, apart):
    with_numbers = agents_list.with_numbers

    def release_first(claims):
        OperatorClaim.objects.get(agent=others[0]).release()
        return with_numbers(claims)

    monkeypatch.setattr(agents_list, "with_numbers", release_first)

    for sort in agents_list.SORTS:
        with apart(sort):
            assert sorted(rows(console, f"?sort={sort}")) == ["caller", "zebra"]


def test_every_order_has_pages(console, others, monkeypatch):
    monkeypatch.setattr(agents_list, "MAX_AGENTS", 2)

    for sort in agents_list.SORTS:
        first, second = (rows(console, f"?sort={sort}&page={page}") for page in (1, 2))

        assert (len(first), len(second)) == (2, 1), sort
        assert {*first, *second} == {"ant", "caller", "zebra"}, sort
        with monkeypatch.context() as patch:
            patch.setattr(agents_list, "MAX_AGENTS", 1)
            text = console.get(f"/operator?seen=not-week&sort={sort}").content.decode()
        order = "" if sort == "name" else f"&amp;sort={sort}"
        assert f'rel="next" href="?seen=not-week{order}&amp;page=2"' in text


@pytest.mark.contract("19.19")
def test_it_is_searched_by_words(console, others):
    AgentFactory(handle="north-of-somebody-else")

    for q, handles in {
        "north": ["ant"],
        "ZEB": ["zebra"],
        "an north": ["ant"],
        "ebra": [],
        "%00": ["ant", "caller", "zebra"],
    }.items():
        assert list(rows(console, f"?q={q}")) == handles, q


@pytest.mark.contract("19.23")
def test_the_name_comes_first_and_orders_the_list(console, others, key):
    claim(AgentFactory(handle="bee", name=""), key=key)

    assert list(rows(console)) == ["ant", "bee", "caller", "zebra"]
    text = console.get("/operator").content.decode()
    assert '/agents/ant"><bdi>Ant of the North</bdi> <code>ant</code></a>' in text
    assert '/agents/bee">bee</a>\n' in text


def test_a_secret_in_the_address_is_not_written_back(console, key, monkeypatch):
    monkeypatch.setattr(agents_list, "MAX_AGENTS", 0)

    for name in ("q", "skill", "version", "seen", "sort", "page", "other"):
        assert key not in console.get(f"/operator?{name}={key}").content.decode(), name
