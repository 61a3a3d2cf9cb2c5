"""An operator exports what the console shows of an agent (contract 19.21)"""

import pytest

from agents.models import AgentToken
from tests.factories import AgentFactory, PersonaFactory, SkillInstallFactory, claim, review
from tests.operators.conftest import OperatorBrowser
from tests.registry import send_submission

EXPORT = "/operator/agents/caller/export"
ME = "/api/v1/agents/me"


def results(client, path):
    return client.get(f"{ME}/{path}").json()["results"]


def without_time(limit):
    return {**limit, "resetSeconds": None}


@pytest.mark.contract("19.21")
def test_it_is_a_download_with_the_rows_of_the_api(console, agent, client, settings):
    settings.SUBMISSIONS = "open"
    SkillInstallFactory(agent=agent, skill__slug="pdf-tables")
    review(agent, PersonaFactory(slug="archivist"), 5, "Tidy.")
    withdrawn = SkillInstallFactory(agent=agent, skill__slug="gone").skill
    withdrawn.recall("It leaks.")
    send_submission(agent)
    console.submit("/operator/agents/caller/limits", install="5")

    response = console.get(EXPORT)

    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == 'attachment; filename="caller.json"'
    assert "no-store" in response["Cache-Control"]
    exported, profile = response.json(), client.get(ME).json()
    shared = ("agentId", "handle", "name", "description", "runtime", "createdAt")
    shared += ("advisories", "updates")
    assert {name: exported[name] for name in shared} == {name: profile[name] for name in shared}
    for name in ("skills", "personas", "submissions"):
        assert exported[name] == results(client, name)
    [own] = results(client, "reviews")
    del own["agent"]
    assert exported["reviews"] == [own]
    [token] = results(client, "tokens")
    del token["isCurrent"], token["lastUsedAt"]
    [listed] = exported["tokens"]
    del listed["lastUsedAt"]
    assert listed == token
    limits = client.get(f"{ME}/limits").json()["limits"]
    assert [without_time(row) for row in exported["limits"]] == [*map(without_time, limits)]
    claimed_at = profile["claim"]["claimedAt"]
    assert exported["claim"] == {"operator": "Ada Lovelace", "claimedAt": claimed_at}
    assert exported["state"] == "active"
    actions = ["Set the limits: installs 5.", "Claimed the agent, with the key"]
    for action, text in zip(exported["actions"], actions, strict=True):
        assert action["text"].startswith(text)


@pytest.mark.contract("19.21")
def test_it_has_no_secret_and_nothing_of_other_agents(
    console, agent, stranger, operator, key, settings
):
    settings.SUBMISSIONS = "off"
    AgentToken.objects.issue(agent)
    SkillInstallFactory(agent=AgentFactory(), skill__slug="theirs")

    text = console.get(EXPORT).content.decode()

    assert agent.claim.secret not in text
    assert agent.token.text not in text
    assert "theirs" not in text
    assert '"submissions"' not in text  # which are off
    assert stranger.get(EXPORT).status_code == 404
    assert operator.get(EXPORT)["Location"] == "/operator?agent=caller"
    assert (
        f'<a href="{EXPORT}" download>' in console.get("/operator/agents/caller").content.decode()
    )


def test_it_needs_as_many_queries_for_more_rows(console, agent, django_assert_max_num_queries):
    for _ in range(3):
        SkillInstallFactory(agent=agent)
        review(agent, PersonaFactory(), 4)

    with django_assert_max_num_queries(19):
        console.get(EXPORT)


@pytest.mark.contract("19.12", "19.21")
def test_a_claim_by_a_token_with_fewer_rights_may_export(agent):
    agent.token = AgentToken.objects.issue(agent, ["read"])
    console = OperatorBrowser(claim(agent))

    assert console.get(EXPORT).status_code == 200
    assert console.get("/operator/agents/caller/delete").status_code == 403
