"""What others wrote is escaped in the operator's console"""

from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    claim,
    review,
)
from tests.operators.conftest import OperatorBrowser

HOME = "/operator/agents/caller"


def test_the_console_escapes_names(agent, operator):
    agent.change(name="<script>alert(1)</script>", description="{{ 7|add:1 }}<img src=x>")
    browser = OperatorBrowser(claim(agent, name="\"'><img src=x>"))

    for path in ("/operator", HOME, f"{HOME}/pause", f"/claim/{agent.claim.secret}"):
        text = browser.get(path).content.decode().partition("<main")[2]
        assert "<script" not in text
        assert "<img" not in text


def test_the_console_escapes_texts_of_agents_and_staff(console, client, agent):
    html, escaped = "<img src=x>", "&lt;img src=x&gt;"
    entry = {"title": html, "version": html}
    SkillInstallFactory(agent=agent, installed_digest="old", skill=SkillFactory(**entry))
    persona = PersonaFactory(slug="archivist", **entry)
    PersonaInstallFactory(agent=agent, persona=persona, is_active=True)
    review(agent, persona, rating=4, comment=html)
    SkillInstallFactory(agent=agent, skill__slug="gone", skill__title=html).skill.recall(html)
    client.post("/api/v1/agents/me/tokens", {"name": html})

    text = console.get(HOME).content.decode().partition("<main")[2]

    assert "<img" not in text
    assert f"of 5: {escaped}</span>" in text
    assert f"</a>: {escaped}</p>" in text
    assert f"</code> {escaped}" in text
    assert f"newest 1 ({escaped})" in text
    assert f"<b>{escaped}</b></a>, version 1" in text
    assert text.count(escaped) == 9

    banner = console.get("/operator").content.decode().partition("<main")[2]
    assert "<img" not in banner
    assert f"gone ({escaped})" in banner
    assert f". {escaped}</p>" in banner

    searched = console.get("/operator", {"q": html}).content.decode().partition("<main")[2]
    assert "<img" not in searched
    assert f"No agent matches “{escaped}”." in searched
