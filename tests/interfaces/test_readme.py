"""The session in README.md works as printed."""

import re

from agents.models import Agent
from demo.postgres import CHECKOUT
from reviews.models import Review
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

SESSION = re.compile(r"## A first session\n(.*?)\n## ", re.DOTALL)
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
REQUEST = re.compile(r"^(?:TOKEN=\$\()?(?:curl|as_agent) ", re.MULTILINE)


def test_an_agents_life_runs_as_printed(live_server_of, shell):
    skill = SkillFactory(slug="pdf-tables", title="PDF tables", description="Extracts tables.")
    archivist = PersonaFactory(slug="archivist", skills=[skill])
    PersonaFactory(slug="technical-writer")
    review(AgentFactory(handle="other"), archivist, 5, "Keeps order.")
    [session] = SESSION.findall((CHECKOUT / "README.md").read_text())
    script = "\n".join(SHELL.findall(session))

    printed, statuses = shell(
        script.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{live_server_of().port}")
    )

    assert [status for status in statuses if status >= 300] == []
    assert len(statuses) == len(REQUEST.findall(script)) > 15
    assert '"comment":"Keeps order."' in printed
    agent = Agent.objects.get(name="First Agent")
    assert not agent.skill_installs.present().exists()
    [install] = agent.persona_installs.present()
    assert install.persona.slug == "technical-writer"
    assert Review.objects.get(agent=agent).deleted_at is not None
    assert agent.tokens.with_state().filter(state="usable").count() == 1
