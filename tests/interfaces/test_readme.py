"""What README.md and docs/ print works, and leads somewhere."""

import re

import pytest

from agents.models import Agent
from demo.postgres import CHECKOUT
from reviews.models import Review
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

DOCUMENTS = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
SESSIONS = {"README.md": "A first session", "docs/api.md": "The rest of an agent's life"}
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
LINK = re.compile(r"(?:\]\(|src=\"|srcset=\")(?!https?:)([^)\"#]*)#?([^)\"]*)")
REQUEST = re.compile(r"^(?:TOKEN=\$\()?(?:curl|as_agent) ", re.MULTILINE)


def shell_of(document, heading):
    """The commands of a section."""
    [section] = re.findall(
        rf"^## {heading}\n(.*?)^## ", document.read_text(), re.DOTALL | re.MULTILINE
    )
    return "\n".join(SHELL.findall(section))


def anchors(document):
    """The fragments that GitHub gives a document's headings."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_an_agents_life_runs_as_printed(live_server_of, shell):
    skill = SkillFactory(slug="pdf-tables", title="PDF tables", description="Extracts tables.")
    archivist = PersonaFactory(slug="archivist", skills=[skill])
    PersonaFactory(slug="technical-writer")
    review(AgentFactory(handle="other"), archivist, 5, "Keeps order.")
    script = "\n".join(shell_of(CHECKOUT / name, heading) for name, heading in SESSIONS.items())

    printed, statuses = shell(
        script.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{live_server_of().port}")
    )

    assert [status for status in statuses if status >= 300] == []
    assert len(statuses) == len(REQUEST.findall(script)) > 15
    assert '"comment":"Keeps order."' in printed
    assert re.search(r'"message":"Skill pinned","slug":"pdf-tables","number":1\b', printed)
    agent = Agent.objects.get(name="First Agent")
    assert not agent.skill_installs.present().exists()
    [install] = agent.persona_installs.present()
    assert install.persona.slug == "technical-writer"
    assert Review.objects.get(agent=agent).deleted_at is not None
    assert agent.tokens.with_state().filter(state="usable").count() == 1


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document):
    for path, fragment in LINK.findall(document.read_text()):
        target = (document.parent / path).resolve() if path else document
        assert target.is_file(), path
        assert not fragment or fragment in anchors(target), fragment


def test_the_readme_names_every_document():
    """Itself, or by the README.md of a folder that it names."""
    named = linked_from(CHECKOUT / "README.md")
    indexes = {path for path in named if path.name == "README.md"}

    assert set(DOCUMENTS) <= {CHECKOUT / "README.md"}.union(named, *map(linked_from, indexes))


def linked_from(document):
    paths = [path for path, _ in LINK.findall(document.read_text())]
    return {(document.parent / path).resolve() for path in paths if path}
