"""What README.md and docs/ print works, and leads somewhere."""

import re

import pytest

from agents.models import Agent
from demo.postgres import CHECKOUT
from tests.factories import PersonaFactory, SkillFactory

DOCUMENTS = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
LINK = re.compile(r"(?:\]\(|src=\"|srcset=\")(?!https?:)([^)\"#]*)#?([^)\"]*)")


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


def test_the_first_session_runs_as_printed(live_server_of, shell):
    skill = SkillFactory(slug="pdf-tables", title="PDF tables", description="Extracts tables.")
    PersonaFactory(slug="archivist", skills=[skill])
    script = shell_of(CHECKOUT / "README.md", "A first session")

    printed, statuses = shell(
        script.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{live_server_of().port}")
    )

    assert statuses == [201, 200, 200, 201, 200, 201, 201, 200]
    assert '"claimUrl":"http' in printed
    agent = Agent.objects.get(name="First Agent")
    [install] = agent.persona_installs.present()
    assert install.is_active
    assert agent.skill_installs.present().count() == agent.reviews.count() == 1


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document):
    for path, fragment in LINK.findall(document.read_text()):
        target = (document.parent / path).resolve() if path else document
        assert target.is_file(), path
        assert not fragment or fragment in anchors(target), fragment


def test_every_document_can_be_reached_from_the_readme():
    reached, waiting = set(), [DOCUMENTS[0]]
    while waiting:
        document = waiting.pop()
        reached.add(document)
        links = {
            (document.parent / path).resolve() for path, _ in LINK.findall(document.read_text())
        }
        waiting += links.intersection(DOCUMENTS) - reached

    assert set(DOCUMENTS) - reached == set()
