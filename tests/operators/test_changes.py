"""What staff and the agent itself have changed, on the agent's page (contract 19.28)"""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import OperatorClaim
from installs.models import PersonaInstall, SkillInstall
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim
from tests.operators.conftest import OperatorBrowser
from tests.operators.test_console import text_of

HOME = "/operator/agents/caller"
API = "/api/v1/agents/me/skills"


def rewrite(skill):
    skill.content += " More."
    skill.save()


def changes_of(console):
    """`[text, …]` of the section and of the exported file, newest first."""
    text = text_of(console.get(HOME)).partition("Changes by others ")[2]
    exported = [row["text"] for row in console.get(f"{HOME}/export").json()["changes"]]
    assert sorted(exported, key=text.index) == exported
    return exported


@pytest.mark.contract("19.28")
def test_new_and_recalled_versions_are_of_staff(console, agent):
    own, bundled, idle, later = (SkillFactory(slug=s) for s in ("own", "bundled", "idle", "later"))
    clerk = PersonaFactory(slug="clerk", skills=[own, bundled])
    for slug, persona in (("clerk", clerk), ("idler", PersonaFactory(slug="idler", skills=[idle]))):
        PersonaInstall.objects.install(agent, slug, activate=persona is clerk)
    SkillInstall.objects.install(agent, "own")
    rewrite(later)
    SkillInstall.objects.install(agent, "later")
    for row in (PersonaInstall, SkillInstall):
        row.objects.update(installed_at=timezone.now() - timedelta(days=40))
    SkillInstall.objects.filter(skill=later).update(installed_at=timezone.now())
    for skill in (own, bundled, idle):
        rewrite(skill)
    own.versions.get(number=1).recall("It leaks.")

    texts = [text for text in changes_of(console) if text.startswith("Staff")]

    versions = [text for text in texts if "published version 2" in text]
    assert {*versions} == {f"Staff published version 2 of {slug}" for slug in ("own", "bundled")}
    assert "Staff recalled version 1 of own" in texts
    assert not [text for text in texts if text.endswith((" of idle", " of later"))]
    page = console.get(HOME).content.decode()
    assert 'href="/skills/own/versions/compare?from=1&amp;to=2">what changed' in page


@pytest.mark.contract("19.28")
def test_installs_are_the_agents_unless_its_operator_made_them(console, agent, client):
    for slug in ("alone", "asked"):
        SkillFactory(slug=slug)
    OperatorClaim.objects.update(claimed_at=timezone.now() - timedelta(days=1))
    client.post(f"{API}/install", {"slug": "alone"})
    client.post(f"{API}/uninstall", {"slug": "alone"})
    console.submit(f"{HOME}/install-skill", slug="asked")
    console.submit(f"{HOME}/remove-skill/asked")
    # The database's clock stops in the transaction of a test.
    SkillInstall.objects.filter(skill__slug="asked").update(installed_at=timezone.now())
    SkillInstall.objects.install(AgentFactory(), "asked")

    assert changes_of(console) == ["The agent removed alone", "The agent installed alone"]
    # The next operator does not see what was before.
    other = OperatorBrowser(claim(agent, name="Grace Hopper"))
    assert "Changes by others" not in text_of(other.get(HOME))
